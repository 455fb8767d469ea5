/** Ids for tests: short, readable, and valid by the grammar of the house. */

import {
  childId,
  type DelayId,
  type DeploymentId,
  delayId,
  type ExecutionId,
  type ExecutorId,
  newDeploymentId,
  newExecutorId,
  newRunId,
  type RunId,
  requireExecutionId,
} from '../../../src/model/ids.ts'
import { type JoinSetId, parseJoinSetId } from '../../../src/model/join-set.ts'

/** An execution id from its text, which must be valid. */
export function executionId(text: string): ExecutionId {
  return requireExecutionId(text)
}

/** A join set id from its text, which must be valid: `n:boxes`. */
export function joinSet(text: string): JoinSetId {
  const parsed = parseJoinSetId(text)
  if (parsed.ok) return parsed.value
  throw new TypeError(`${text} is not a join set id: ${parsed.error}`)
}

/** The id of a child: `childOf('parent', 'n:boxes', 1)`. */
export function childOf(parent: string, set = 'n:boxes', index = 1): ExecutionId {
  return childId({ parentId: executionId(parent), joinSetId: joinSet(set), index })
}

/** The id of a delay: `delayOf('parent', 'n:timers', 1)`. */
export function delayOf(parent: string, set = 'n:timers', index = 1): DelayId {
  return delayId({ parentId: executionId(parent), joinSetId: joinSet(set), index })
}

/** The `index`-th executor. */
export function executorId(index = 1): ExecutorId {
  return newExecutorId(ulid(index))
}

/** The `index`-th run. */
export function runId(index = 1): RunId {
  return newRunId(ulid(index))
}

/** The `index`-th deployment. */
export function deploymentId(index = 1): DeploymentId {
  return newDeploymentId(ulid(index))
}

function ulid(index: number): string {
  return String(index).padStart(26, '0')
}
