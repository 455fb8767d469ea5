/** The page of promises names tests: each must be there, under that very title, and must run. */

import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { pathOf, read } from './section.ts'

const path = 'docs/what-stele-promises.md'
const page = read(path)

/** A promise, or what is not one, with the tests that it names. */
interface Entry {
  readonly title: string
  readonly tests: readonly NamedTest[]
}

interface NamedTest {
  readonly title: string
  readonly file: string
}

const entries: readonly Entry[] = page
  .split(/^### /m)
  .slice(1)
  .map((section) => ({ title: section.split('\n', 1)[0] ?? '', tests: testsIn(section) }))

/** Tests are named by items of a list, `- [title](../test/…)`; links in the prose are just links. */
function testsIn(section: string): readonly NamedTest[] {
  return [...section.matchAll(/^- \[(.+)\]\(\.\.\/(test\/\S+)\)$/gm)].map(
    ([, title = '', file = '']) => ({ title, file }),
  )
}

/** The titles of a file: what `test` and `it`, and what their `each` gives, are called with. */
function titlesOf(file: string): ReadonlySet<string> {
  const calls = read(file).matchAll(
    /(?:\b(?:test|it)(?:\.\w+)*|\))\(\s*('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`[^`]*`)\s*,/g,
  )
  const titles = [...calls].map(([, quoted = '']) => quoted.slice(1, -1))
  return new Set(titles.map((title) => title.replaceAll(/\\(.)/g, '$1')))
}

/** What the page may say without a test: it says so. */
const untried = ['A file that several machines share']

describe('promises', () => {
  test('are there, and each names the tests that try it', () => {
    expect(entries.length).toBeGreaterThan(30)
    const without = entries.filter(({ tests }) => tests.length === 0)
    expect(without.map(({ title }) => title)).toEqual(untried)
  })

  test('name tests in items of a list, all of which are understood', () => {
    const items = page.match(/^\s*[-*] /gm)?.length
    expect(entries.flatMap(({ tests }) => tests)).toHaveLength(items ?? 0)
  })

  test.each(entries)('$title', ({ tests }) => {
    for (const { file, title } of tests) {
      expect(existsSync(pathOf(file)), file).toBe(true)
      expect(titlesOf(file), file).toContain(title)
    }
  })

  test('name no file with tests that are left out', () => {
    const files = new Set(entries.flatMap(({ tests }) => tests.map(({ file }) => file)))
    const leftOut = [...files].filter((file) => /\.(?:skip|todo|fails|only)\(/.test(read(file)))
    expect(leftOut).toEqual([])
  })
})
