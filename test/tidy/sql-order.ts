/** Every statement that may give several rows says in which order. */
import type { HouseFile } from './findings.ts'
import { lineAt } from './findings.ts'

/** Columns that pick one row at most: the primary and unique keys of the schema. */
const keys: readonly (readonly string[])[] = [
  ['events', 'execution_id', 'version'],
  ['executions', 'execution_id'],
  ['responses', 'execution_id', 'cursor'],
  ['responses', 'delay_id'],
  ['responses', 'child_execution_id'],
  ['join_sets', 'execution_id', 'join_set_id'],
  ['delays', 'delay_id'],
  ['executors', 'executor_id'],
  ['sources', 'hash'],
]

const texts = /\bconst (\w+) =\s*(?:statement\(\s*'([^']*)',\s*)?(`[^`]*`|'[^'\n]*')/g

interface Text {
  readonly place: string
  readonly name: string
  readonly isStatement: boolean
  readonly text: string
}

function textsOf({ path, text }: HouseFile): Text[] {
  return [...text.matchAll(texts)].map(
    ({ 0: all, 1: name = '', 2: title, 3: quoted = '', index }) => ({
      place: `${path}:${lineAt(text, index)}: ${title ?? all}`,
      name,
      isStatement: title !== undefined,
      text: quoted.slice(1, -1),
    }),
  )
}

function expand(text: string, byName: ReadonlyMap<string, string>, depth = 0): string {
  if (depth > 8) return text
  return text.replace(/\$\{(\w+)\}/g, (_, name: string) =>
    expand(byName.get(name) ?? '', byName, depth + 1),
  )
}

function picksOneRow(sql: string): boolean {
  const table = /\bFROM\s+(\w+)/.exec(sql)?.[1]
  const where = /\bWHERE\b([\s\S]*)$/.exec(sql)?.[1] ?? ''
  if (/\b(?:OR|JOIN)\b/.test(sql)) return false
  const fixed = new Set(
    [...where.matchAll(/(?:\w+\.)?(\w+)\s*=\s*\$\d+/g)].map(([, column]) => column),
  )
  return keys.some(
    ([owner, ...columns]) => owner === table && columns.every((name) => fixed.has(name)),
  )
}

function isOrdered(sql: string): boolean {
  return /\bORDER BY\b/.test(sql) || /\bLIMIT 1\b/.test(sql) || isOneNumber(sql) || picksOneRow(sql)
}

function isOneNumber(sql: string): boolean {
  return /^\s*SELECT\s+(?:count|max|min|sum|EXISTS)\s*\(/i.test(sql) && !/\bGROUP BY\b/.test(sql)
}

/** The statements of these files that read several rows in no order, and how many were read. */
export function unorderedSelects(files: readonly HouseFile[]): { seen: number; found: string[] } {
  const all = files.flatMap(textsOf)
  const byName = new Map(all.map(({ name, text }) => [name, text]))
  const selects = all
    .filter(({ isStatement }) => isStatement)
    .map(({ place, text }) => ({ place, sql: expand(text, byName).trim() }))
    .filter(({ sql }) => /^(?:SELECT|WITH)\b/.test(sql))
  const found = selects.filter(({ sql }) => !isOrdered(sql)).map(({ place }) => place)
  return { seen: selects.length, found }
}
