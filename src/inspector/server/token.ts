/** The token that opens a viewer: minted from randomness, compared in constant time. */

// oxlint-disable-next-line no-restricted-imports -- compares and digests; draws no randomness
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Random } from '../../base/random.ts'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
/** Characters of a token: 192 bits. */
const tokenLength = 32
/** The shortest token that a user may choose. */
export const tokenLengthMin = 16

/** A new secret: letters, digits, `-` and `_`. */
export function mintToken(random: Random, length = tokenLength): string {
  const draw = (): string => alphabet.charAt(Math.floor(random.next() * alphabet.length))
  return Array.from({ length }, draw).join('')
}

/** Whether two secrets are the same; how long it takes says nothing of where they differ. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
