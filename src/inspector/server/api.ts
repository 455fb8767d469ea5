/** The questions that a viewer answers, by path. */

import { answerChart, answerMachines } from './api-charts.ts'
import { answerCode } from './api-code.ts'
import { answerExecution, answerTimeline, answerTree } from './api-execution.ts'
import { answerExecutors, answerFunctions } from './api-executors.ts'
import { answerList } from './api-list.ts'
import { answerEvent, answerEvents, answerLogs, answerResponses } from './api-log.ts'
import type { Query } from './query.ts'
import type { ViewerSource } from './source.ts'

/** Answers one question. */
type Answer = (source: ViewerSource, query: Query) => Promise<object>

/** Every question, by its path. */
export const questions: ReadonlyMap<string, Answer> = new Map<string, Answer>([
  ['/api/executions', answerList],
  ['/api/execution', answerExecution],
  ['/api/events', answerEvents],
  ['/api/event', answerEvent],
  ['/api/responses', answerResponses],
  ['/api/logs', answerLogs],
  ['/api/code', answerCode],
  ['/api/tree', answerTree],
  ['/api/timeline', answerTimeline],
  ['/api/chart', answerChart],
  ['/api/machines', answerMachines],
  ['/api/executors', answerExecutors],
  ['/api/functions', answerFunctions],
])
