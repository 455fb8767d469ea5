import { defineActivity } from 'stele'
import { describe, expect, it } from 'vitest'
import { findDefinition } from '../../../../src/workers/definition.ts'
import { openTestEngine } from '../../client/test-engine.ts'

describe('defineActivity', () => {
  it('activity: kind, name and version, implemented', () => {
    expect(defineActivity({ name: 'charge', version: '2' }, () => 1)).toMatchObject({
      kind: 'activity',
      name: 'charge',
      version: '2',
      implemented: true,
    })
  })

  it('declaration: is not implemented, until it is', () => {
    const declared = defineActivity({ name: 'charge' })
    expect(declared).not.toHaveProperty('implemented')
    expect(declared.implement(() => undefined)).toMatchObject({ name: 'charge', implemented: true })
    expect(declared.stub()).toMatchObject({ name: 'charge', implemented: true })
  })

  it('declaration: what its implementation does is what is executed', async () => {
    const declared = defineActivity({ name: 'charge' })
    const seen: unknown[] = []
    const charge = declared.implement((input) => {
      seen.push(input)
    })
    await using world = await openTestEngine({ functions: [charge] })
    const handle = await world.engine.submit(declared)
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toBeUndefined()
    expect(seen).toEqual([undefined])
  })

  it('copy: spread into another object it stays an activity', async () => {
    const charge = { ...defineActivity({ name: 'charge' }, () => 'paid') }
    await using world = await openTestEngine({ functions: [charge] })
    const handle = await world.engine.submit(charge)
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toBe('paid')
  })

  it.each([null, 'charge', 5, {}])('handler: %s is refused', (handler) => {
    const refused = expect.objectContaining({ code: 'invalid_option' })
    expect(() => defineActivity({ name: 'charge' }, handler as never)).toThrow(refused)
    expect(() => defineActivity({ name: 'charge' }).implement(handler as never)).toThrow(refused)
  })
})

describe('definition of an activity', () => {
  it('definition: kind, settings and handler; a declaration and a stub have no handler', () => {
    const handler = (): number => 1
    const declared = defineActivity({ name: 'charge' })
    expect(findDefinition(defineActivity({ name: 'charge' }, handler))).toMatchObject({
      kind: 'activity',
      settings: { id: { name: 'charge' } },
      handler,
    })
    for (const bare of [declared, declared.stub()]) {
      expect(findDefinition(bare)).toMatchObject({ kind: 'activity' })
      expect(findDefinition(bare)).not.toHaveProperty('handler')
    }
  })
})
