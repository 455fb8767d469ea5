/** The answer about source code: the lines around one, as they were when the call was made. */

import { requireText } from '../../base/options.ts'
import type { Query } from './query.ts'
import type { ViewerSource } from './source.ts'
import type { CodeAnswer } from './wire.ts'

/** Lines shown before and after the one that is meant. */
const linesAround = 8
/** Characters of a line; minified code has few lines. */
const columnsMax = 400

/** Lines of a text that is kept, around the one asked for. */
export async function answerCode({ context }: ViewerSource, query: Query): Promise<CodeAnswer> {
  const hash = requireText(query.text('hash'), 'hash')
  const line = query.integer('line', 1)
  const source = await context.storage.findSource(hash)
  const from = Math.max(1, line - linesAround)
  const all = source?.text.split('\n') ?? []
  const shown = all.slice(from - 1, line + linesAround)
  return { from, lines: shown.map((text) => text.slice(0, columnsMax)) }
}
