/** Breaking a page of a SQLite file, as a bad disk would. */

import { readFileSync, writeFileSync } from 'node:fs'

/** Bytes of a page, as SQLite makes them unless told otherwise. */
const pageBytes = 4_096

/** Overwrites the first byte, which says what the page is, of the last page that holds a text. */
export function breakPageWith(file: string, text: string): void {
  const bytes = readFileSync(file)
  const offset = bytes.lastIndexOf(text)
  if (offset < 0) throw new TypeError(`${text} does not stand in ${file}`)
  bytes[Math.floor(offset / pageBytes) * pageBytes] = 0xff
  writeFileSync(file, bytes)
}
