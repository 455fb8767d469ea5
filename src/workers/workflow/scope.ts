/** What the guard is told of a workflow: its time, its chance, and who hears of its slips. */

import { guard, type Logger } from '../../base/logger.ts'
import type { Frame } from './frame.ts'
import type { GuardScope } from './guard.ts'
import { createSeededRandom } from './minted.ts'

/** The scope of a frame's code. */
export function createScope(frame: Frame, logger: Logger): GuardScope {
  const { executionId, definition } = frame.options
  const functionName = definition.settings.id.name
  // Seeds beside the numbers of calls, which are never negative.
  const random = createSeededRandom(executionId, -1)
  return {
    functionName,
    now: () => frame.now(),
    random: random.next,
    warn: (message) => {
      guard(() => {
        logger.warn({ executionId, functionName }, message)
      })
    },
    onUnhandledRejection: (reason, promise) => {
      frame.addUnheard(promise, reason)
      guard(() => {
        logger.warn({ executionId, functionName, err: reason }, unheardAdvice)
      })
    },
    onRejectionHandled: (promise) => {
      frame.removeUnheard(promise)
    },
  }
}

const unheardAdvice =
  'A promise of a workflow was rejected, and nobody awaits it: if that stays so, the execution ' +
  'fails with this reason when its handler has ended. Await it, or catch it.'
