/** The port for randomness. The only file that may draw from the system's. */

/** A source of random numbers. */
export interface Random {
  /** A number in [0, 1). */
  readonly next: () => number
}

const two32 = 2 ** 32
const poolSize = 1024

/** The system's randomness, drawn a page at a time. */
export function createSystemRandom(): Random {
  const pool = new Uint32Array(poolSize)
  let used = poolSize
  return {
    next: () => {
      if (used === poolSize) {
        // oxlint-disable-next-line no-restricted-globals -- the one place that draws randomness
        crypto.getRandomValues(pool)
        used = 0
      }
      const value = pool[used] ?? 0
      used += 1
      return value / two32
    },
  }
}

/** Numbers that follow from the seed alone (splitmix32: small, fast, good enough for ids). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return {
    next: () => {
      state = (state + 0x9e3779b9) >>> 0
      let mixed = state ^ (state >>> 16)
      mixed = Math.imul(mixed, 0x21f0aaad)
      mixed ^= mixed >>> 15
      mixed = Math.imul(mixed, 0x735a2d97)
      mixed ^= mixed >>> 15
      return (mixed >>> 0) / two32
    },
  }
}
