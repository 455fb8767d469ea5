/** Which line of a user's code calls. */
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SourceText } from '../../../../src/storage/sources.ts'
import type { FindPlace } from '../../../../src/workers/workflow/call-places.ts'
import { createSourceLines } from '../../../../src/workers/workflow/source-lines.ts'
import {
  type TemporaryDirectory,
  temporaryDirectory,
} from '../../../support/storage/temporary-directory.ts'

let directory: TemporaryDirectory
let kept: SourceText[]

beforeEach(() => {
  directory = temporaryDirectory()
  kept = []
})

afterEach(() => {
  directory[Symbol.dispose]()
})

/** A module of somebody else, loaded by Node itself: nothing transforms its lines. */
function load(text: string): (find: FindPlace, times?: number) => unknown {
  const path = directory.file('flow.cjs')
  writeFileSync(path, text)
  return createRequire(path)(path) as ReturnType<typeof load>
}

function sourceLines(part: Partial<Parameters<typeof createSourceLines>[0]> = {}): FindPlace {
  return createSourceLines({
    folder: directory.path,
    sourceBytes: 1_000,
    keep: (source) => {
      kept.push(source)
      return Promise.resolve()
    },
    ...part,
  })
}

test('the line and column of the call, in the file of whoever calls', () => {
  const text = 'module.exports = (find) =>\n  find()\n'
  const flow = load(text)
  expect(flow(sourceLines())).toEqual({
    file: 'flow.cjs',
    line: 2,
    column: 3,
    hash: expect.any(String),
  })
  expect(kept.map((source) => source.text)).toEqual([text])
})

test('a helper is found where it calls, not where it is called', () => {
  const flow = load('const help = (find) => find()\nmodule.exports = (find) => help(find)\n')
  expect(flow(sourceLines())).toMatchObject({ line: 1 })
})

test('deep below the user, and deep within', () => {
  const flow = load(`const dive = (find, left) => left === 0 ? find() : dive(find, left - 1)
module.exports = (find) => dive(find, 200)`)
  expect(flow(sourceLines())).toMatchObject({ line: 1 })
})

test('a text is kept once, and again where that has failed', async () => {
  const flow = load('module.exports = (find) => find()')
  let isAway = true
  const find = sourceLines({
    keep: (source) => {
      kept.push(source)
      return isAway ? Promise.reject(new TypeError('away')) : Promise.resolve()
    },
  })
  flow(find)
  await Promise.resolve()
  isAway = false
  flow(find)
  await Promise.resolve()
  flow(find)
  expect(kept).toHaveLength(2)
})

test('a text that is too large is not kept; its places are', () => {
  const flow = load(`module.exports = (find) => find() // ${'x'.repeat(2_000)}`)
  expect(flow(sourceLines())).toMatchObject({ line: 1 })
  expect(kept).toEqual([])
})

test('what others make of stacks is left as it was', () => {
  const before = { limit: Error.stackTraceLimit, prepare: Reflect.get(Error, 'prepareStackTrace') }
  const flow = load('module.exports = (find) => find()')
  flow(sourceLines())
  expect(Error.stackTraceLimit).toBe(before.limit)
  expect(Reflect.get(Error, 'prepareStackTrace')).toBe(before.prepare)
})

test('code that was made up while it ran stands where it was run', () => {
  const flow = load('module.exports = (find) => new Function("find", "return find()")(find)')
  expect(flow(sourceLines())).toMatchObject({ file: 'flow.cjs', line: 1 })
})

test('where the stack cannot be asked, there is no place, and nobody is stopped', () => {
  const flow = load('module.exports = (find) => find()')
  const find = sourceLines()
  const captureStackTrace = Reflect.get(Error, 'captureStackTrace')
  Reflect.set(Error, 'captureStackTrace', () => {
    throw new TypeError('frozen')
  })
  try {
    expect(flow(find)).toBeUndefined()
  } finally {
    Reflect.set(Error, 'captureStackTrace', captureStackTrace)
  }
})
