/** JSON from a command line: where it is wrong is said by line and column. */

import { SteleError } from '../base/error.ts'
import type { Json } from '../base/json.ts'

/** Reads a JSON text called `name`. Throws `invalid_option` with the place of the fault. */
export function parseJsonText(text: string, name: string): Json {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what JSON.parse gives is JSON
    return JSON.parse(text) as Json
  } catch {
    const { offset, expected } = findJsonFault(text)
    const before = text.slice(0, offset).split('\n')
    const line = before.length
    const column = (before.at(-1)?.length ?? 0) + 1
    const found = offset >= text.length ? 'it ends there' : `found ${excerpt(text, offset)}`
    throw new SteleError(
      'invalid_option',
      `${name} is not JSON: at line ${line}, column ${column}, ${expected} was expected; ` +
        `${found}.${quoteAdvice(text)}`,
      { fields: { option: name, line, column } },
    )
  }
}

const excerptMax = 12

function excerpt(text: string, offset: number): string {
  return JSON.stringify(text.slice(offset, offset + excerptMax).split('\n')[0] ?? '')
}

/** The most frequent fault is a text without its quotes, which the shell has taken. */
function quoteAdvice(text: string): string {
  const isWord = /^[A-Za-z_][\w -]*$/.test(text.trim())
  return isWord ? ` Write a text with its quotes, as in '${JSON.stringify(text.trim())}'.` : ''
}

/** Where a text stops being JSON, and what could have stood there. */
export interface JsonFault {
  readonly offset: number
  readonly expected: string
}

/** The first fault of a text that is not JSON. */
export function findJsonFault(text: string): JsonFault {
  const scan: Scan = { text, offset: 0 }
  const fault = readValue(scan)
  if (fault !== undefined) return fault
  skipSpace(scan)
  return { offset: scan.offset, expected: 'the end' }
}

interface Scan {
  readonly text: string
  offset: number
}

const bare = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?|true|false|null/y
const string = /"(?:[^"\\\p{Cc}]|[\u007F-\u009F]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"/uy
const space = /[ \t\r\n]*/y

function take(scan: Scan, pattern: RegExp): boolean {
  pattern.lastIndex = scan.offset
  const matched = pattern.exec(scan.text)
  if (matched === null) return false
  scan.offset += matched[0].length
  return true
}

function skipSpace(scan: Scan): void {
  take(scan, space)
}

function takeMark(scan: Scan, mark: string): boolean {
  skipSpace(scan)
  if (!scan.text.startsWith(mark, scan.offset)) return false
  scan.offset += mark.length
  return true
}

function faultAt(scan: Scan, expected: string): JsonFault {
  return { offset: scan.offset, expected }
}

function readValue(scan: Scan): JsonFault | undefined {
  if (takeMark(scan, '{')) return readMembers(scan, { close: '}', readOne: readMember })
  if (takeMark(scan, '[')) return readMembers(scan, { close: ']', readOne: readValue })
  return take(scan, string) || take(scan, bare) ? undefined : faultAt(scan, 'a JSON value')
}

interface Members {
  readonly close: string
  readonly readOne: (scan: Scan) => JsonFault | undefined
}

function readMembers(scan: Scan, { close, readOne }: Members): JsonFault | undefined {
  if (takeMark(scan, close)) return undefined
  for (;;) {
    const fault = readOne(scan)
    if (fault !== undefined) return fault
    if (takeMark(scan, close)) return undefined
    if (!takeMark(scan, ',')) return faultAt(scan, `"," or "${close}"`)
  }
}

function readMember(scan: Scan): JsonFault | undefined {
  skipSpace(scan)
  if (!take(scan, string)) return faultAt(scan, 'a name in double quotes')
  return takeMark(scan, ':') ? readValue(scan) : faultAt(scan, '":"')
}
