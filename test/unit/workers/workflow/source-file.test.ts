/** Files of code, and the files they were written in. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openSourceFile } from '../../../../src/workers/workflow/source-file.ts'
import {
  type TemporaryDirectory,
  temporaryDirectory,
} from '../../../support/storage/temporary-directory.ts'

let directory: TemporaryDirectory

beforeEach(() => {
  directory = temporaryDirectory()
})

afterEach(() => {
  directory[Symbol.dispose]()
})

function write(name: string, text: string): string {
  mkdirSync(directory.file('dist'), { recursive: true })
  mkdirSync(directory.file('src'), { recursive: true })
  writeFileSync(directory.file(name), text)
  return directory.file(name)
}

/** Line 1, column 1 of the output comes from line 3, column 5 of the first source. */
const map = {
  version: 3,
  sources: ['../src/order.ts'],
  names: [],
  mappings: 'AAEI',
}
const written = ['const a = 1', '', '    call(a)'].join('\n')

function find(path: string, line = 1, column = 1): unknown {
  const found = openSourceFile(path, directory.path)?.find({ line, column })
  return found === undefined ? undefined : { ...found.place, text: found.text.text }
}

const origin = { file: 'src/order.ts', line: 3, column: 5, text: written }

test('without a map, a place is that of the file itself', () => {
  const path = write('dist/order.js', 'call()')
  expect(find(path)).toEqual({
    file: 'dist/order.js',
    line: 1,
    column: 1,
    hash: expect.stringMatching(/^[0-9a-f]{16}$/),
    text: 'call()',
  })
})

test('a file that cannot be read has no places', () => {
  expect(openSourceFile(directory.file('nowhere.js'), directory.path)).toBeUndefined()
})

test('outside the folder, the whole path is its name', () => {
  const path = write('dist/order.js', 'call()')
  const found = openSourceFile(path, directory.file('elsewhere'))?.find({ line: 1, column: 1 })
  expect(found?.place.file).toBe(path)
})

test('the same text has the same hash, another another', () => {
  const hashes = ['a', 'a', 'b'].map((text, index) => {
    const path = write(`dist/${index}.js`, text)
    return openSourceFile(path, directory.path)?.find({ line: 1, column: 1 })?.place.hash
  })
  expect(hashes[0]).toBe(hashes[1])
  expect(hashes[0]).not.toBe(hashes[2])
})

describe('maps', () => {
  test('beside the file, to a source that is there', () => {
    write('src/order.ts', written)
    write('dist/order.js.map', JSON.stringify(map))
    const path = write('dist/order.js', 'call(a)\n//# sourceMappingURL=order.js.map\n')
    expect(find(path)).toMatchObject(origin)
  })

  test('with the source inside', () => {
    write('dist/order.js.map', JSON.stringify({ ...map, sourcesContent: [written] }))
    const path = write('dist/order.js', 'call(a)\n//# sourceMappingURL=order.js.map\n')
    expect(find(path)).toMatchObject(origin)
  })

  test.each([
    ['base64', `;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`],
    ['plain', `,${encodeURIComponent(JSON.stringify(map))}`],
  ])('inside the file, %s', (_, data) => {
    write('src/order.ts', written)
    const path = write(
      'dist/order.js',
      `call(a)\n//# sourceMappingURL=data:application/json${data}\n`,
    )
    expect(find(path)).toMatchObject(origin)
  })

  test('with a root for its sources', () => {
    write('src/order.ts', written)
    const rooted = { ...map, sourceRoot: '../src', sources: ['order.ts'] }
    write('dist/order.js.map', JSON.stringify(rooted))
    const path = write('dist/order.js', 'call(a)\n//# sourceMappingURL=order.js.map\n')
    expect(find(path)).toMatchObject(origin)
  })

  test.each([
    ['is not there', undefined],
    ['is no map', '{'],
    ['leads to a source that is gone', JSON.stringify(map)],
  ])('one that %s: the place is that of the file itself', (_, text) => {
    if (text !== undefined) write('dist/order.js.map', text)
    const path = write('dist/order.js', 'call(a)\n//# sourceMappingURL=order.js.map\n')
    expect(find(path)).toMatchObject({ file: 'dist/order.js', line: 1, column: 1 })
  })

  test('is read once: what happens to it afterwards changes nothing', () => {
    write('src/order.ts', written)
    write('dist/order.js.map', JSON.stringify(map))
    const path = write('dist/order.js', 'call(a)\n//# sourceMappingURL=order.js.map\n')
    const file = openSourceFile(path, directory.path)
    file?.find({ line: 1, column: 1 })
    rmSync(directory.file('dist/order.js.map'))
    rmSync(directory.file('src/order.ts'))
    expect(file?.find({ line: 1, column: 1 })?.place.file).toBe('src/order.ts')
  })
})
