/** `stele`: what an application imports. Named re-exports only. */

// ── Functions: defining them, referring to them, their types ────────────────────────────────────

export type { ActivityContext } from './workers/activity/context.ts'
export {
  type Activity,
  type ActivityDeclaration,
  defineActivity,
  type ErrOf,
  type Handler,
  type Inferred,
  type OkOf,
} from './workers/activity/define.ts'
export type { OnNondeterminism } from './workers/definition.ts'
export {
  activityDefaults,
  type FunctionOptions,
  type RetryOptions,
  workflowDefaults,
} from './workers/function-options.ts'
export {
  type AnyFunction,
  type Args,
  type FailureOf,
  type FunctionRef,
  functionRef,
  type Implemented,
  type InputOf,
  type NameOf,
  type OutputOf,
} from './workers/function-ref.ts'
export { type LogFunction, type RunLog } from './workers/run-log.ts'
export { type Schema, unchecked } from './workers/schema.ts'
export type {
  CallOptions,
  Child,
  ChildOptions,
  ChildResponse,
  DelayResponse,
  JoinSet,
  JoinSetOptions,
  JoinSetResponse,
  MessageChannel,
  MessageSchemas,
  ScheduleOptions,
  SleepOptions,
  StepContext,
  StepOptions,
  WorkflowContext,
} from './workers/workflow/context.ts'
export {
  defineWorkflow,
  type Workflow,
  type WorkflowDeclaration,
  type WorkflowOptions,
} from './workers/workflow/define.ts'

// ── Engines: creating one, its options, what it stands on ───────────────────────────────────────

export type { Codec } from './base/codec.ts'
export type { Json, JsonObject } from './base/json.ts'
export type { Logger, LogLine } from './base/logger.ts'
export type { Random } from './base/random.ts'
export {
  type Cancel,
  type Clock,
  type Duration,
  type DurationUnit,
  type Instant,
  type Milliseconds,
  parseDuration,
  type Scheduler,
} from './base/time.ts'
export { createEngine, type Engine, type FunctionsByName } from './client/create-engine.ts'
export type {
  EngineOptions,
  ExecutorOptions,
  StorageEnvironment,
  StorageFactory,
  TimersWatcherOptions,
} from './client/engine-options.ts'
export type { GivenLimits, Limits } from './client/limits.ts'
export type { Inspector } from './engine/engine-context.ts'
export type { LockingStrategy } from './storage/lock.ts'

// ── Executions: submitting, finding, waiting, looking ───────────────────────────────────────────

export {
  type CheckReplayOptions,
  checkReplay,
  type ReplayReport,
} from './client/check-replay.ts'
export type { Client, HandleOf, ListPage, ListQuery, PageQuery } from './client/client.ts'
export type { DelayHandle } from './client/delay.ts'
export type { Explanation } from './client/explain.ts'
export type {
  Handle,
  LogLineView,
  LogsPage,
  Timeout,
  WorkflowHandle,
} from './client/handle.ts'
export type { SendOptions } from './client/send.ts'
export type { SubmitManyOptions, SubmitOptions } from './client/submit.ts'
export { formatTimeline, type TimelineMoment, type TimelineOptions } from './client/timeline.ts'
export type { ExecutionTree, TreeOptions } from './client/tree.ts'
export type {
  EventView,
  ListItem,
  LogView,
  ResponseView,
  Shown,
  StateView,
} from './client/view.ts'

// ── Outcomes and errors ─────────────────────────────────────────────────────────────────────────

export {
  type ErrorCode,
  type ErrorFields,
  type ErrorJson,
  type ErrorOptions,
  errorTable,
  isSteleError,
  SteleError,
} from './base/error.ts'
export type { ExecutionFailure, FailureKind, Outcome } from './model/outcome.ts'
export { ActivityError, type Err, type ErrOptions, err, PermanentError } from './workers/err.ts'
export {
  ExecutionError,
  type ExecutionErrorOptions,
  type FailedOutcome,
  isExecutionError,
} from './workers/execution-error.ts'

// ── What is recorded: events, responses, ids ────────────────────────────────────────────────────

export type {
  Blocking,
  CallEvent,
  CancelRequestedEvent,
  ChildRequestEvent,
  CreatedEvent,
  Cursor,
  DelayRequestEvent,
  ExecutionEvent,
  FinishedEvent,
  HistoryEvent,
  HttpTrace,
  JoinNextEvent,
  JoinNextTooManyEvent,
  JoinNextTryEvent,
  JoinNextWithdrawEvent,
  JoinSetCreateEvent,
  JoinSetEvent,
  LockedEvent,
  MacrostepEvent,
  NamedEvent,
  ParentRef,
  PatchedEvent,
  PausedEvent,
  ScheduleEvent,
  ScheduleIntent,
  SourcePlace,
  StepFailedEvent,
  StepFinishedEvent,
  StubEvent,
  TemporarilyFailedEvent,
  TemporarilyTimedOutEvent,
  UnlockedEvent,
  UnpausedEvent,
  UpgradeFinishedEvent,
  Version,
  WaitEvent,
} from './model/event.ts'
export type { FunctionId, FunctionKind } from './model/function-id.ts'
export type { DelayId, DeploymentId, ExecutionId, ExecutorId, RunId } from './model/ids.ts'
export type { JoinSetId } from './model/join-set.ts'
export type { StoredError, StoredFailure, StoredOutcome } from './model/outcome.ts'
export type {
  ChildFinishedResponse,
  DelayFinishedResponse,
  ExecutionResponse,
  MessageResponse,
} from './model/response.ts'
export type { RetryPolicy } from './model/retry.ts'
export type { ExecutionStatus } from './model/state.ts'
export type { LogLevel } from './storage/run-log.ts'
export type { SourceText } from './storage/sources.ts'

// ── The port of a storage ───────────────────────────────────────────────────────────────────────

export type { Result } from './base/result.ts'
export type { Driver, WriteProtocol } from './storage/driver.ts'
export type {
  Answers,
  Call,
  Calls,
  Protocol,
  Row,
  SqlValue,
  Statement,
} from './storage/protocol.ts'
