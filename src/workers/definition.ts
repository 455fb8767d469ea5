/** What is behind a function: settings and code. For the engine only; users hold references. */

import type { ActivityContext } from './activity/context.ts'
import type { FunctionSettings } from './function-options.ts'
import type { Schema } from './schema.ts'
import type { WorkflowContext } from './workflow/context.ts'

/** A handler of an activity as the worker calls it. */
export type AnyActivityHandler = (input: unknown, context: ActivityContext) => unknown

/** A handler of a workflow as the worker calls it. */
export type AnyWorkflowHandler = (
  input: unknown,
  context: WorkflowContext<Readonly<Record<string, unknown>>>,
) => unknown

/** What is behind an activity. */
export interface ActivityDefinition {
  readonly kind: 'activity'
  readonly settings: FunctionSettings
  /** Absent for a declaration and for a stub. */
  readonly handler?: AnyActivityHandler
}

/** What becomes of an execution whose code does not do what its log says. */
export type OnNondeterminism = 'pause' | 'fail'

/** What is behind a workflow. */
export interface WorkflowDefinition {
  readonly kind: 'workflow'
  readonly settings: FunctionSettings
  /** Channels by name. */
  readonly messages: ReadonlyMap<string, Schema>
  readonly onNondeterminism: OnNondeterminism
  /** Absent for a declaration. */
  readonly handler?: AnyWorkflowHandler
}

/** What is behind any function. */
export type FunctionDefinition = ActivityDefinition | WorkflowDefinition

// Registered, so that a definition made by another copy of the package is understood.
const definitionKey = Symbol.for('stele.definition')

/** What is behind an activity, a workflow, a declaration or a stub; `undefined` otherwise. */
export function findDefinition(value: object): FunctionDefinition | undefined {
  const found: unknown = Reflect.get(value, definitionKey)
  if (typeof found !== 'object' || found === null) return undefined
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else has this key
  return found as FunctionDefinition
}

/** Puts a definition behind a reference. */
export function attachDefinition<Reference extends object>(
  reference: Reference,
  definition: FunctionDefinition,
): Reference {
  return Object.defineProperty(reference, definitionKey, { value: definition, enumerable: true })
}
