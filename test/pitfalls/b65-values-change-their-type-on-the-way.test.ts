import { defineActivity } from 'stele'
import { describe, expect, it } from 'vitest'
import { openTestEngine } from '../unit/client/test-engine.ts'

class Money {
  readonly amount = 5
}

function cyclic(): object {
  const self: { again?: object } = {}
  self.again = self
  return self
}

const kept: readonly (readonly [string, unknown])[] = [
  ['Date', new Date(5)],
  ['BigInt', 2n ** 70n],
  [
    'Map',
    new Map<unknown, unknown>([
      ['a', new Date(1)],
      [1, undefined],
    ]),
  ],
  ['Set', new Set([1, 'a', undefined])],
  ['undefined', undefined],
  ['undefined in an array', [undefined, 1]],
  ['undefined in an object', { a: undefined }],
  ['NaN', Number.NaN],
  ['-0', -0],
  ['Infinity', Number.NEGATIVE_INFINITY],
  ['Uint8Array', new Uint8Array([0, 255])],
  ['RegExp', /a+b/giu],
  ['URL', new URL('https://a.test/?q=1')],
  ['a cycle', cyclic()],
  ['1 MB of text', 'ä'.repeat(500_000)],
  ['no text', ''],
  ['text with zero and half a pair', 'a\0b\uD800'],
  ['the key of the codec', { $devalue: '[1]' }],
  ['a deep one', JSON.parse('['.repeat(500) + ']'.repeat(500))],
]

const refused: readonly (readonly [string, unknown, string])[] = [
  ['Symbol', { a: [Symbol('s')] }, 'a[0]'],
  ['function', { f: () => 1 }, 'f'],
  ['class', { price: new Money() }, 'price'],
  ['promise', { p: Promise.resolve(1) }, 'p'],
  ['WeakMap', { w: new WeakMap() }, 'w'],
]

const echo = defineActivity({ name: 'echo' }, (value: unknown) => value)

describe('B65: a value is what it was, or is refused', () => {
  it.each(kept)('B65: %s comes back as it was', async (_, value) => {
    const seen: unknown[] = []
    const look = defineActivity({ name: 'look' }, (given: unknown) => {
      seen.push(given)
      return given
    })
    await using world = await openTestEngine({ functions: [look] })
    const handle = await world.engine.submit(look, value)
    await world.settle()
    expect(seen).toStrictEqual([value])
    expect(await handle.result({ timeout: 0 })).toStrictEqual(value)
    const { events } = await handle.log()
    expect(Reflect.get(events[0] ?? {}, 'input')).toStrictEqual(value)
  })

  it.each(refused)(
    'B65: %s is refused with its path, on the way in and on the way out',
    async (_, value, path) => {
      const make = defineActivity({ name: 'make' }, () => value)
      await using world = await openTestEngine({ functions: [echo, make] })
      await expect(world.engine.submit(echo, value)).rejects.toMatchObject({
        code: 'value_not_storable',
        fields: { path: `input.${path}` },
      })
      const handle = await world.engine.submit(make)
      await world.settle()
      expect(await handle.outcome({ timeout: 0 })).toMatchObject({
        reason: expect.stringContaining(`result.${path} cannot be stored`),
      })
      expect((await world.engine.list({ function: echo })).items).toEqual([])
    },
  )
})
