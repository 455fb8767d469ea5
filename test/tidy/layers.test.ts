import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { cruiseHouse, rules } from './layers.ts'

/**
 * Fewer modules than this cannot be the whole house: a parser that understands nothing sees no
 * module, and so no violation, and reports success.
 */
const MINIMUM_MODULES = 30

const house = fileURLToPath(new URL('../..', import.meta.url))
const fixture = fileURLToPath(new URL('fixture', import.meta.url))

describe('the house', () => {
  test('imports run downwards only, and every file was seen', async () => {
    const { modules, violations } = await cruiseHouse(house)
    expect(violations).toEqual([])
    expect(modules.length).toBeGreaterThanOrEqual(MINIMUM_MODULES)
  })
})

describe('the planted sins', () => {
  test('every rule catches the file named after it, and no rule catches another', async () => {
    const { violations } = await cruiseHouse(fixture)
    const caught = violations
      .map(({ rule, from }) => `${rule}: ${basename(from, '.ts')}`)
      .toSorted()
    const named = rules.map(({ name }) => name ?? 'nameless')
    // The composition root is known by its own name.
    const expected = named.map((name) => `${name}: ${sinners[name] ?? name}`)
    expect(caught).toEqual(expected.toSorted())
  })
})

const sinners: Readonly<Record<string, string>> = {
  'root-loads-adapters-on-demand': 'open-storage',
}
