/** Commands that an execution may refuse: for applications that try them at any time. */

import { isSteleError } from 'stele'

/** Whether it was done; a refusal is an answer, too. */
export async function isLegal(command: Promise<unknown>): Promise<boolean> {
  try {
    await command
    return true
  } catch (error) {
    if (isSteleError(error, 'illegal_state') || isSteleError(error, 'already_finished'))
      return false
    throw error
  }
}
