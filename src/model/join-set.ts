/** Ids of join sets: `<kind>:<name>`. Identity is kind and name together. */

import { accept, type Result, refuse } from '../base/result.ts'

declare const brand: unique symbol

/** Id of a join set within its execution, as text: `o:1-sleep`, `n:boxes`, `g:2`, `m:approve`. */
export type JoinSetId = string & { readonly [brand]: 'JoinSetId' }

/** Who made the join set. */
export type JoinSetKind = 'one_off' | 'named' | 'generated' | 'messages'

const letters = { one_off: 'o', named: 'n', generated: 'g', messages: 'm' } as const
const kinds: Readonly<Record<string, JoinSetKind>> = {
  o: 'one_off',
  n: 'named',
  g: 'generated',
  m: 'messages',
}

/** Longest name of a join set. */
export const joinSetNameLengthMax = 128

const idText = /^[ongm]:[A-Za-z0-9_/-]{0,128}$/

/** Why a text is not the id of a join set. */
export type JoinSetRefusal = 'unknown_kind' | 'invalid_name'

/** The id of a join set of this kind and name: letters, digits, `_`, `/`, `-`. */
export function joinSetId(kind: JoinSetKind, name: string): Result<JoinSetId, JoinSetRefusal> {
  const id = `${letters[kind]}:${name}`
  return isJoinSetId(id) ? accept(id) : refuse('invalid_name')
}

function isJoinSetId(text: string): text is JoinSetId {
  return idText.test(text)
}

/** Reads the text of a join set id. */
export function parseJoinSetId(text: string): Result<JoinSetId, JoinSetRefusal> {
  const kind = kinds[text.slice(0, 1)]
  if (kind === undefined || text[1] !== ':') return refuse('unknown_kind')
  return joinSetId(kind, text.slice(2))
}

/** Kind and name of a join set. */
export function readJoinSetId(id: JoinSetId): {
  readonly kind: JoinSetKind
  readonly name: string
} {
  return { kind: kinds[id.slice(0, 1)] ?? 'named', name: id.slice(2) }
}

/** The text of a join set id. */
export function formatJoinSetId(id: JoinSetId): string {
  return id
}
