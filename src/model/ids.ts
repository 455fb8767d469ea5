/**
 * The ids of the house and their grammar. Derived ids say everything about their origin in their
 * text: parent, join set and index can be read off. Pure text: no storage, no clock.
 */

import { SteleError } from '../base/error.ts'
import { showSubject } from '../base/options.ts'
import { accept, type Result, refuse } from '../base/result.ts'
import { formatJoinSetId, type JoinSetId, parseJoinSetId } from './join-set.ts'

declare const brand: unique symbol

/** Id of an execution: the user's own text, or derived `<parent>.<join set>_<index>`. */
export type ExecutionId = string & { readonly [brand]: 'ExecutionId' }
/** Id of a delay: `Delay_<execution>.<join set>_<index>`. */
export type DelayId = string & { readonly [brand]: 'DelayId' }
/** Id of an executor: `Exr_<ulid>`, new with each start. */
export type ExecutorId = string & { readonly [brand]: 'ExecutorId' }
/** Id of a run: `Run_<ulid>`, one for each poll, shared by what the poll locked. */
export type RunId = string & { readonly [brand]: 'RunId' }
/** Id of a deployment: the user's text, by default `Dep_<ulid>`, new with each engine. */
export type DeploymentId = string & { readonly [brand]: 'DeploymentId' }

/** Longest id that a user may choose. */
export const executionIdLengthMax = 128
/** Longest derived id, all levels together. */
export const derivedIdLengthMax = 1024

const userText = /^[A-Za-z0-9\-_:@/]{1,128}$/
const reservedPrefixes = ['Delay_', 'Exr_', 'Run_', 'Dep_'] as const
const ulidText = '[0-9A-HJKMNP-TV-Z]{26}'
const executorText = new RegExp(`^Exr_${ulidText}$`)
const runText = new RegExp(`^Run_${ulidText}$`)
const delayPrefix = 'Delay_'

/** Why a text is not an id. */
export type IdRefusal = 'malformed' | 'reserved_prefix' | 'too_long'

/** Where a derived id comes from. */
export interface DerivedFrom {
  /** The execution whose join set it belongs to. */
  readonly parentId: ExecutionId
  /** The join set of the parent. */
  readonly joinSetId: JoinSetId
  /** Position in the join set, from 1. */
  readonly index: number
}

/** Reads an execution id, top-level or derived. Never trims or folds. */
export function parseExecutionId(text: string): Result<ExecutionId, IdRefusal> {
  const [top = '', ...levels] = text.split('.')
  if (text.length > (levels.length === 0 ? executionIdLengthMax : derivedIdLengthMax)) {
    return refuse('too_long')
  }
  if (!userText.test(top)) return refuse('malformed')
  if (reservedPrefixes.some((prefix) => top.startsWith(prefix))) return refuse('reserved_prefix')
  if (!levels.every((level) => parseLevel(level) !== undefined)) return refuse('malformed')
  return accept(text as ExecutionId)
}

const idAdvice: Readonly<Record<IdRefusal, string>> = {
  malformed: 'Use 1 to 128 of A-Z a-z 0-9 - _ : @ /.',
  reserved_prefix: 'The prefixes Delay_ Exr_ Run_ Dep_ are reserved.',
  too_long: 'An id is at most 128 long, a derived one 1,024.',
}

/** The id of a text, or `invalid_execution_id`. */
export function requireExecutionId(text: unknown): ExecutionId {
  const parsed = typeof text === 'string' ? parseExecutionId(text) : refuse('malformed' as const)
  if (parsed.ok) return parsed.value
  throw invalidExecutionId(text, idAdvice[parsed.error])
}

/** The id that a user gives to a new execution: top-level only, `.` is reserved. */
export function requireNewExecutionId(text: unknown): ExecutionId {
  const id = requireExecutionId(text)
  if (!id.includes('.')) return id
  throw invalidExecutionId(text, '`.` is reserved for ids derived by Stele.')
}

function invalidExecutionId(text: unknown, advice: string): SteleError {
  return new SteleError(
    'invalid_execution_id',
    `${showSubject(text)} is not an execution id. ${advice}`,
    {
      fields: { executionId: text },
    },
  )
}

/** Where a derived execution id comes from; `undefined` for a top-level one. */
export function findParent(id: ExecutionId): DerivedFrom | undefined {
  return splitDerived(id)
}

/** The top-level execution that a derived id descends from; the id itself when top-level. */
export function rootOf(id: ExecutionId): ExecutionId {
  const end = id.indexOf('.')
  return end < 0 ? id : (id.slice(0, end) as ExecutionId)
}

/** The id of the `index`-th child of a join set. */
export function childId(from: DerivedFrom): ExecutionId {
  const id = `${from.parentId}.${formatJoinSetId(from.joinSetId)}_${from.index}`
  if (id.length <= derivedIdLengthMax) return id as ExecutionId
  throw invalidExecutionId(id, idAdvice.too_long)
}

/** The id of the `index`-th delay of a join set. */
export function delayId(from: DerivedFrom): DelayId {
  return `${delayPrefix}${childId(from)}` as DelayId
}

/** Reads a delay id together with where it comes from. */
export function parseDelayId(text: string): Result<DerivedFrom, IdRefusal> {
  if (!text.startsWith(delayPrefix)) return refuse('malformed')
  const parsed = parseExecutionId(text.slice(delayPrefix.length))
  if (!parsed.ok) return parsed
  const from = splitDerived(parsed.value)
  return from === undefined ? refuse('malformed') : accept(from)
}

/** Reads an executor id. */
export function parseExecutorId(text: string): Result<ExecutorId, IdRefusal> {
  return executorText.test(text) ? accept(text as ExecutorId) : refuse('malformed')
}

/** Reads a run id. */
export function parseRunId(text: string): Result<RunId, IdRefusal> {
  return runText.test(text) ? accept(text as RunId) : refuse('malformed')
}

/** Reads a deployment id: `Dep_<ulid>`, or a name of the user's. */
export function parseDeploymentId(text: string): Result<DeploymentId, IdRefusal> {
  return userText.test(text) ? accept(text as DeploymentId) : refuse('malformed')
}

/** A new top-level execution id. */
export function newExecutionId(ulid: string): ExecutionId {
  return `E_${ulid}` as ExecutionId
}

/** A new executor id. */
export function newExecutorId(ulid: string): ExecutorId {
  return `Exr_${ulid}` as ExecutorId
}

/** A new run id. */
export function newRunId(ulid: string): RunId {
  return `Run_${ulid}` as RunId
}

/** A new deployment id. */
export function newDeploymentId(ulid: string): DeploymentId {
  return `Dep_${ulid}` as DeploymentId
}

function splitDerived(id: ExecutionId): DerivedFrom | undefined {
  const dot = id.lastIndexOf('.')
  if (dot < 0) return undefined
  const level = parseLevel(id.slice(dot + 1))
  if (level === undefined) return undefined
  return { parentId: id.slice(0, dot) as ExecutionId, ...level }
}

const indexText = /^[1-9]\d{0,8}$/

/** `<join set>_<index>`: names of join sets may contain `_`, so the last one separates. */
function parseLevel(level: string): Omit<DerivedFrom, 'parentId'> | undefined {
  const separator = level.lastIndexOf('_')
  if (separator < 0) return undefined
  const joinSet = parseJoinSetId(level.slice(0, separator))
  const index = level.slice(separator + 1)
  if (!joinSet.ok || !indexText.test(index)) return undefined
  return { joinSetId: joinSet.value, index: Number(index) }
}
