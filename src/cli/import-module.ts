/** Loads a module of the user's: what stands in it runs. */

import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { SteleError } from '../base/error.ts'

/** What a module exports, by name. Rejects with `invalid_option` when it cannot be loaded. */
export async function importModule(file: string): Promise<object> {
  try {
    const module: unknown = await import(pathToFileURL(resolve(file)).href)
    return typeof module === 'object' && module !== null ? module : {}
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new SteleError(
      'invalid_option',
      `${JSON.stringify(file)} cannot be loaded as a module: ${reason}. ` +
        'Give compiled JavaScript, or run stele with a Node that runs TypeScript.',
      { fields: { source: file }, cause },
    )
  }
}
