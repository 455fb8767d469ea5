/** The style of the house, as far as a reader of text can see it. */
import { describe, expect, test } from 'vitest'
import type { Check, HouseFile } from './findings.ts'
import { house, housed, readHouse } from './house.ts'
import { linkFindings, titleFindings } from './markdown.ts'
import { sourceless, untested } from './mirror.ts'
import * as source from './source-checks.ts'
import { unorderedSelects } from './sql-order.ts'
import * as text from './text-checks.ts'

const sources = housed(/^(?:src|machines)\/.*\.tsx?$/)
const viewer = housed(/^src\/inspector\/viewer\/.*\.tsx?$/)
const storage = housed(/^src\/storage\/.*\.ts$/)
const generated = 'docs/reference/api/'
const pages = housed(/\.md$/).filter(({ path }) => !path.startsWith(generated))

/** A check that saw nothing has found nothing. */
function findings(check: Check, files: readonly HouseFile[]): string[] {
  expect(files.length).toBeGreaterThan(0)
  return files.flatMap(check)
}

describe('source files', () => {
  test.each<[string, Check]>([
    ['keep lines within 100 columns', source.longLines],
    ['throw nothing but a SteleError', source.plainErrors],
    ['take time and randomness as arguments', source.systemTimeAndRandom],
    ['name only types of xstate in the client', source.xstateValues],
  ])('%s', (_, check) => {
    expect(findings(check, sources)).toEqual([])
  })

  test.each<[string, Check]>([
    ['import nothing that no browser has', source.viewerImports],
    ['make no markup of text', source.viewerMarkup],
  ])('of the viewer %s', (_, check) => {
    expect(findings(check, viewer)).toEqual([])
  })

  test('each have a unit test at the same path', () => {
    expect(untested(house)).toEqual([])
  })

  test('are what each unit test mirrors', () => {
    expect(sourceless(house)).toEqual([])
  })

  test('let SQL hold no clock and no randomness', () => {
    expect(findings(source.sqlTimeAndRandom, storage)).toEqual([])
  })

  test('order the rows of every statement that may give several', () => {
    const { seen, found } = unorderedSelects(storage)
    expect(found).toEqual([])
    expect(seen).toBeGreaterThan(0)
  })
})

describe('every file', () => {
  test.each<[string, Check]>([
    ['is finished', source.unfinishedMarks],
    ['gives a reason for each suppression', source.bareSuppressions],
    ['names no host of a registry', text.registryHosts],
    ['names no path of one machine', text.machinePaths],
  ])('%s', (_, check) => {
    expect(findings(check, house)).toEqual([])
  })
})

describe('pages', () => {
  test('have one title', () => {
    expect(findings(titleFindings, pages)).toEqual([])
  })

  test('have links that lead somewhere', () => {
    expect(findings((page) => linkFindings(page, readHouse), pages)).toEqual([])
  })
})
