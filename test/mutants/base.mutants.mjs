/** Mistakes somebody could make on the ground floor; see `model.mutants.mjs`. */

const codec = 'src/base/codec.ts'
const codecTests = ['test/unit/base/codec.test.ts']

export const mutants = [
  {
    name: 'scheduler: a long wait fires at once',
    file: 'src/base/time.ts',
    find: 'const part = Math.min(remaining, timerDelayMax)',
    replace: 'const part = remaining > timerDelayMax ? 1 : remaining\n      remaining = part',
    tests: ['test/unit/base/time.test.ts'],
    killedBy: /after: a wait of \d+ ms is kept/,
  },
  {
    name: 'durations: signs and exponents are read',
    file: 'src/base/time.ts',
    find: 'const durationText = /^(',
    replace: 'const durationText = /^[-+]?(',
    tests: ['test/unit/base/time.test.ts'],
    killedBy: /duration: "[-+]5s" is refused/,
  },
  {
    name: 'codec: minus zero is plain',
    file: codec,
    find: 'Number.isFinite(value) && !Object.is(value, -0)',
    replace: 'Number.isFinite(value)',
    tests: codecTests,
    killedBy: /beyond: minus zero/,
  },
  {
    name: 'codec: the reserved key of a user is read as ours',
    file: codec,
    find: "if (key === reservedKey || key === '__proto__') return false",
    replace: "if (key === '__proto__') return false",
    tests: codecTests,
    killedBy: /the reserved key/,
  },
  {
    name: 'codec: what cannot be read is stored',
    file: codec,
    find: 'devalue.parse(text, revivers)\n    return {',
    replace: 'return {',
    tests: codecTests,
    killedBy: /refused: an object that calls itself a URL|refused: a class that calls itself a URL/,
  },
  {
    name: 'codec: named properties of an array are dropped',
    file: codec,
    find: 'if (!Array.isArray(value) || !hasNames(value)) return undefined',
    replace: 'if (!Array.isArray(value) || hasNames(value)) return undefined',
    tests: codecTests,
    killedBy: /refused: an array with a named property/,
  },
  {
    name: 'error: recognised by its class alone',
    file: 'src/base/error.ts',
    find: 'return mark in error &&',
    replace: 'return error instanceof SteleError &&',
    tests: ['test/unit/base/error.test.ts'],
    killedBy: /two copies of the package recognise each other/,
  },
  {
    name: 'ids: the first underscore separates',
    file: 'src/model/ids.ts',
    find: "const separator = level.lastIndexOf('_')",
    replace: "const separator = level.indexOf('_')",
    tests: ['test/unit/model/ids.test.ts'],
    killedBy: /the last underscore separates/,
  },
]
