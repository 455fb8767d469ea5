/** Ids in rows. What stands in the database was checked before it was written. */

import type { DelayId, DeploymentId, ExecutionId, ExecutorId, RunId } from '../model/ids.ts'
import type { JoinSetId } from '../model/join-set.ts'
import { textOf } from './column.ts'
import type { Row } from './protocol.ts'

/** The execution of a row. */
export function executionIdOf(row: Row): ExecutionId {
  return textOf(row, 'execution_id') as ExecutionId
}

/** The delay of a row. */
export function delayIdOf(row: Row): DelayId {
  return textOf(row, 'delay_id') as DelayId
}

/** The join set of a row. */
export function joinSetIdOf(row: Row): JoinSetId {
  return textOf(row, 'join_set_id') as JoinSetId
}

/** The executor of a row. */
export function executorIdOf(row: Row): ExecutorId {
  return textOf(row, 'executor_id') as ExecutorId
}

/** The run of a row. */
export function runIdOf(row: Row): RunId {
  return textOf(row, 'run_id') as RunId
}

/** The deployment of a row. */
export function deploymentIdOf(row: Row): DeploymentId {
  return textOf(row, 'deployment_id') as DeploymentId
}
