/** Values of users as text that can be shown: bounded, and never anything but text. */

import { inspect } from 'node:util'
import { type Codec, decodeValue } from '../../base/codec.ts'
import type { Json } from '../../base/json.ts'
import type { ShownValue } from './wire.ts'

/** Characters of a value that are shown among others. */
export const previewMax = 4_000
/** Characters of a value that are shown when somebody asks for it. */
export const shownMax = 1_000_000
/** Elements of a list, or of a map, that are shown when it is no plain JSON. */
const shownElementsMax = 1_000

/** How a value is shown. */
export interface ShowOptions {
  readonly codec: Codec
  /** Characters that are shown. */
  readonly max: number
}

/** A text under a name, cut if it is too long. */
export function showText(name: string, text: string, max: number): ShownValue {
  if (text.length <= max) return { name, text }
  return { name, text: text.slice(0, max), cut: text.length - max }
}

/** A stored value: JSON as JSON, anything beyond as Node would print it. */
export function showValue(
  name: string,
  stored: Json | undefined,
  { codec, max }: ShowOptions,
): ShownValue {
  return showText(name, textOf(stored, codec), max)
}

function textOf(stored: Json | undefined, codec: Codec): string {
  const value = read(stored, codec)
  if (value === stored || stored === undefined) return jsonText(stored)
  return inspect(value, {
    customInspect: false,
    depth: 50,
    breakLength: 80,
    maxArrayLength: shownElementsMax,
    maxStringLength: shownMax,
  })
}

function jsonText(value: Json | undefined): string {
  return value === undefined ? 'undefined' : JSON.stringify(value, null, 2)
}

/** A value that this codec cannot read is shown as it is stored. */
function read(stored: Json | undefined, codec: Codec): unknown {
  try {
    return decodeValue(codec, stored, 'value')
  } catch {
    return stored
  }
}
