/** Chance and ids for workflows: from the id of the execution and the number of the call alone. */

import { hashText } from '../../base/hash.ts'
import type { Random } from '../../base/random.ts'
import type { Instant } from '../../base/time.ts'
import { ulidAt } from '../../base/ulid.ts'

const two32 = 2 ** 32
const two21 = 2 ** 21

/** Begins a second hash of the same text. */
const otherSeed = 0x9e3779b9

/** A number in [0, 1), with all of its 53 bits. */
export function randomOf(executionId: string, seq: number): number {
  // In the text, not in the seed: a seed and the first letter of an id could cancel out.
  const text = `${seq}:${executionId}`
  const high = hashText(text)
  const low = hashText(text, otherSeed)
  return (high * two21 + (low >>> 11)) / (two32 * two21)
}

/** Chance for whatever draws it without a number of its own. */
export function createSeededRandom(executionId: string, seed: number): Random {
  let drawn = 0
  return {
    next: () => {
      drawn += 1
      return randomOf(`${executionId}#${seed}`, drawn)
    },
  }
}

/** A UUID of version 4. */
export function uuidOf(executionId: string, seq: number): string {
  const words = [0, 1, 2, 3].map((part) => hashText(`${part}:${seq}:${executionId}`))
  const hex = words.map((word) => word.toString(16).padStart(8, '0')).join('')
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20),
  ].join('-')
}

/** A ULID of an instant. */
export function ulidOf(
  executionId: string,
  { seq, at }: { readonly seq: number; readonly at: Instant },
): string {
  // The package takes 0 for no time at all, and would ask the system's clock.
  return ulidAt(Math.max(1, at), createSeededRandom(executionId, seq))
}
