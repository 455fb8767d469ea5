/** JSON values of options: as a text, from a file (`@input.json`), or from the input (`-`). */

import { readFile } from 'node:fs/promises'
import { SteleError } from '../base/error.ts'
import type { Json } from '../base/json.ts'
import { parseJsonText } from './json-text.ts'
import type { World } from './world.ts'

/** Reads the value of an option. Throws `invalid_option`. */
export async function readJson(
  world: World,
  given: string | undefined,
  name: string,
): Promise<Json | undefined> {
  if (given === undefined) return undefined
  if (given === '-') return parseJsonText(await world.readInput(), `the input, for ${name},`)
  if (given.startsWith('@')) {
    const file = given.slice(1)
    return parseJsonText(await readText(file, name), `${file}, for ${name},`)
  }
  return parseJsonText(given, name)
}

async function readText(file: string, name: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new SteleError(
      'invalid_option',
      `${name} names the file ${JSON.stringify(file)}, which cannot be read. ` +
        'Give the JSON itself, @ and the name of a file that has it, or - for the input.',
      { fields: { option: name, file }, cause },
    )
  }
}
