/** Transactions over the texts of source files, each kept once, by its hash. */

import { accept } from '../base/result.ts'
import type { Instant } from '../base/time.ts'
import { textOf } from './column.ts'
import type { WriteProtocol } from './driver.ts'
import { type Protocol, query, statement } from './protocol.ts'

const insertSource = statement(
  'insert-source',
  `INSERT INTO sources (hash, file, text, first_seen_at_ms)
   VALUES ($1, $2, $3, $4)
   ON CONFLICT (hash) DO NOTHING`,
)

const selectSource = statement(
  'select-source',
  `SELECT s.hash, s.file, s.text
   FROM sources s
   WHERE s.hash = $1`,
)

/** The text of a source file, as it was when code of it ran. */
export interface SourceText {
  /** Names the text: what events carry as `source.hash`. */
  readonly hash: string
  /** The file in which it stood when it was seen first. */
  readonly file: string
  /** All of it. */
  readonly text: string
}

/** Keeps a text, unless it is there already. */
export function* keepSource(
  { hash, file, text }: SourceText,
  seenAt: Instant,
): WriteProtocol<undefined, never> {
  yield* query(insertSource, hash, file, text, seenAt)
  return accept(undefined)
}

/** A text by its hash, or `undefined`. */
export function* findSource(hash: string): Protocol<SourceText | undefined> {
  const [row] = yield* query(selectSource, hash)
  if (row === undefined) return undefined
  return { hash: textOf(row, 'hash'), file: textOf(row, 'file'), text: textOf(row, 'text') }
}
