/** `defineWorkflow`: deterministic code that calls other functions, and is replayed. */

import type { StandardSchemaV1 } from '@standard-schema/spec'
import { invalidOption, readObject, requireOneOf } from '../../base/options.ts'
import { joinSetId } from '../../model/join-set.ts'
import type { ErrOf, Handler, Inferred, OkOf } from '../activity/define.ts'
import {
  type AnyWorkflowHandler,
  attachDefinition,
  type OnNondeterminism,
  type WorkflowDefinition,
} from '../definition.ts'
import type { Err } from '../err.ts'
import {
  type AnyFunctionOptions,
  type FunctionOptions,
  resolveFunctionOptions,
} from '../function-options.ts'
import { type FunctionRef, type Implemented, phantoms } from '../function-ref.ts'
import { requireSchema, type Schema } from '../schema.ts'
import type { MessageSchemas, WorkflowContext } from './context.ts'

/** A workflow that can be executed: what `functions: [...]` takes. */
export interface Workflow<
  Input,
  Output,
  Failure = unknown,
  Messages = object,
  Name extends string = string,
> extends FunctionRef<Input, Output, Failure, Name>,
    Implemented {
  /** A workflow, not an activity. */
  readonly kind: 'workflow'
  /** For the compiler only; throws when called. */
  readonly '~messages': (messages: Messages) => void
}

/** A workflow without implementation: for callers, and for workflows that call each other. */
export interface WorkflowDeclaration<
  Accepted,
  Output,
  Failure,
  Messages,
  Name extends string,
  Input,
  Returned,
  Received,
> extends FunctionRef<Accepted, Output, Failure, Name> {
  /** A workflow, not an activity. */
  readonly kind: 'workflow'
  /** For the compiler only; throws when called. */
  readonly '~messages': (messages: Messages) => void
  /** Adds the implementation. */
  readonly implement: (
    handler: (
      input: Input,
      context: WorkflowContext<Received>,
    ) => Promise<Returned | Err<Failure>> | Returned | Err<Failure>,
  ) => Workflow<Accepted, Output, Failure, Messages, Name>
}

/** Options of a workflow. */
export interface WorkflowOptions<
  Name extends string,
  Accepted,
  Input,
  Returned,
  Output,
  Failure,
  Messages extends MessageSchemas,
> extends FunctionOptions<Name, Accepted, Input, Returned, Output, Failure> {
  /** Message channels by name: letters, digits, `_`, `/`, `-`. */
  readonly messages?: Messages | undefined
  /**
   * When the code does not do what the log says: the execution is paused with the reason, and goes
   * on after a fix (`pause`, the default), or fails.
   */
  readonly onNondeterminism?: OnNondeterminism | undefined
}

/**
 * Defines a workflow. The input's type is the handler's first parameter, or that of the schema;
 * the output's is what the handler returns. Throws `invalid_name` or `invalid_option`.
 */
export function defineWorkflow<
  Name extends string,
  Result,
  Input = undefined,
  Accepted = Input,
  Returned = Inferred,
  Output = OkOf<Result>,
  Failure = ErrOf<Result>,
  // oxlint-disable-next-line typescript/no-generated-empty-object-type -- no channels
  Messages extends MessageSchemas = Record<never, never>,
>(
  options: WorkflowOptions<Name, Accepted, Input, Returned, Output, Failure, Messages>,
  handler: Handler<
    Input,
    WorkflowContext<{
      [Channel in keyof Messages]: StandardSchemaV1.InferOutput<Messages[Channel]>
    }>,
    Returned,
    Result
  >,
): Workflow<
  Accepted,
  Output,
  Failure,
  { [C in keyof Messages]: StandardSchemaV1.InferInput<Messages[C]> },
  Name
>
/** Declares a workflow: `.implement(handler)` makes it executable. */
export function defineWorkflow<
  Name extends string,
  Input = undefined,
  Accepted = Input,
  Returned = undefined,
  Output = Returned,
  Failure = unknown,
  // oxlint-disable-next-line typescript/no-generated-empty-object-type -- no channels
  Messages extends MessageSchemas = Record<never, never>,
>(
  options: WorkflowOptions<Name, Accepted, Input, Returned, Output, Failure, Messages>,
): WorkflowDeclaration<
  Accepted,
  Output,
  Failure,
  { [C in keyof Messages]: StandardSchemaV1.InferInput<Messages[C]> },
  Name,
  Input,
  Returned,
  { [C in keyof Messages]: StandardSchemaV1.InferOutput<Messages[C]> }
>
export function defineWorkflow(
  options: AnyWorkflowOptions,
  handler?: unknown,
): AnyWorkflow | AnyWorkflowDeclaration {
  const definition = resolveWorkflow(options)
  if (handler !== undefined) return implement(definition, handler)
  return { ...reference(definition), implement: (given) => implement(definition, given) }
}

type AnyWorkflow = Workflow<never, unknown, unknown, never>
type AnyWorkflowDeclaration = WorkflowDeclaration<
  never,
  unknown,
  unknown,
  never,
  string,
  unknown,
  unknown,
  Record<string, unknown>
>
type AnyWorkflowOptions = AnyFunctionOptions & {
  readonly messages?: MessageSchemas | undefined
  readonly onNondeterminism?: OnNondeterminism | undefined
}

const policies = ['pause', 'fail'] as const

function resolveWorkflow(options: AnyWorkflowOptions): WorkflowDefinition {
  const settings = resolveFunctionOptions('workflow', options, ['messages', 'onNondeterminism'])
  const { name } = settings.id
  const { messages = {}, onNondeterminism = 'pause' } = options
  return {
    kind: 'workflow',
    settings,
    messages: resolveMessages(messages, name),
    onNondeterminism: requireOneOf(onNondeterminism, `${name}.onNondeterminism`, policies),
  }
}

function resolveMessages(messages: MessageSchemas, name: string): ReadonlyMap<string, Schema> {
  const given = readObject(messages, `${name}.messages`)
  return new Map(
    Object.entries(given).map(([channel, schema]) => {
      const option = `${name}.messages.${channel}`
      if (channel === '' || !joinSetId('messages', channel).ok) {
        throw invalidOption(option, 'must be named with A-Z a-z 0-9 _ / -, at most 128 of them')
      }
      return [channel, requireSchema(schema, option)]
    }),
  )
}

function implement(definition: WorkflowDefinition, handler: unknown): AnyWorkflow {
  if (!isHandler(handler)) {
    throw invalidOption(`The handler of ${definition.settings.id.name}`, 'must be a function')
  }
  return { ...reference({ ...definition, handler }), implemented: true }
}

function isHandler(value: unknown): value is AnyWorkflowHandler {
  return typeof value === 'function'
}

function reference(
  definition: WorkflowDefinition,
): FunctionRef<never, unknown> & Pick<AnyWorkflow, 'kind' | '~messages'> {
  const { name, version } = definition.settings.id
  const types = phantoms()
  const made = {
    kind: 'workflow',
    name,
    version,
    ...types,
    '~messages': types['~types'],
  } as const
  return attachDefinition(made, definition)
}
