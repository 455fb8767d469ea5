import { defineActivity, functionRef } from 'stele'
import { describe, expect, it } from 'vitest'
import { openTestEngine } from '../client/test-engine.ts'

const charge = defineActivity({ name: 'charge', version: '2' }, (amount: number) => amount + 1)

describe('functionRef', () => {
  it('ref: an activity needs only its name', () => {
    expect(functionRef<typeof charge>('charge')).toMatchObject({
      kind: 'activity',
      name: 'charge',
      version: '1',
    })
  })

  it('ref: kind and version can be said', () => {
    const ref = functionRef<typeof charge>('charge', { kind: 'activity', version: '2' })
    expect(ref.version).toBe('2')
  })

  it.each<[unknown, unknown, string]>([
    [undefined, {}, 'invalid_name'],
    ['a b', {}, 'invalid_name'],
    ['', {}, 'invalid_name'],
    [Symbol('s'), {}, 'invalid_name'],
    ['charge', { version: '' }, 'invalid_name'],
    ['charge', { version: 2 }, 'invalid_name'],
    ['charge', { version: 'x'.repeat(65) }, 'invalid_name'],
    ['charge', { kind: 'job' }, 'invalid_option'],
    ['charge', { kind: null }, 'invalid_option'],
    ['charge', { verison: '2' }, 'invalid_option'],
    ['charge', null, 'invalid_option'],
    ['charge', '2', 'invalid_option'],
  ])('ref: what identifies nothing is refused (%#)', (name, identity, code) => {
    expect(() => functionRef(name as never, identity as never)).toThrow(
      expect.objectContaining({ code }),
    )
  })

  it('ref: what is submitted by name is executed by whoever has the implementation', async () => {
    await using world = await openTestEngine({ functions: [charge] })
    const handle = await world.engine.submit(functionRef<typeof charge>('charge'), 1)
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toBe(2)
  })

  it.each(['~types', '~failure'] as const)('phantom: calling %s says that one must not', (key) => {
    expect(() => charge[key](1 as never)).toThrow(
      expect.objectContaining({ code: 'internal', message: expect.stringContaining('compiler') }),
    )
  })
})
