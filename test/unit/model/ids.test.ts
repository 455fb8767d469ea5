import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSteleError } from '../../../src/base/error.ts'
import {
  childId,
  type DerivedFrom,
  delayId,
  derivedIdLengthMax,
  executionIdLengthMax,
  findParent,
  newDeploymentId,
  newExecutionId,
  newExecutorId,
  newRunId,
  parseDelayId,
  parseDeploymentId,
  parseExecutionId,
  parseExecutorId,
  parseRunId,
  requireExecutionId,
  requireNewExecutionId,
  rootOf,
} from '../../../src/model/ids.ts'
import { joinSetId } from '../../../src/model/join-set.ts'
import { thrownBy } from '../base/thrown-by.ts'
import { named } from './builders.ts'

const seed = 20_260_310
const ulid = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

const valid = [
  'a',
  '7',
  'order-1234',
  'user:42/order@shop_7',
  '-_:@/',
  '__proto__',
  'delay_x',
  'Delay-x',
  'x'.repeat(128),
  `E_${ulid}`,
  'E_1.n:boxes_1',
  'E_1.g:1_2.o:1-foo_1',
  'E_1.n:a_b_c_12',
  'E_1.n:_1',
  'E_1.m:approve_999999999',
]

const malformed = [
  '',
  ' ',
  ' a',
  'a ',
  'a\n',
  'a b',
  'ä',
  'a\u0000',
  'а', // Cyrillic
  'a%',
  "a'; DROP TABLE states; --",
  '.',
  'a.',
  '.a',
  'a..b',
  'a.b',
  'a.n:x',
  'a.n:x_',
  'a.n:x_0',
  'a.n:x_01',
  'a.n:x_-1',
  'a.n:x_1e3',
  'a.n:x_1 ',
  'a.n:x_1000000000',
  'a.q:x_1',
  'a.n:x:y_1',
  'a.n:gg._2',
  'a.n_1',
  'a.:x_1',
  `a.n:${'x'.repeat(129)}_1`,
  'Delay_ü',
]

describe('execution ids: grammar', () => {
  it.each(valid)('grammar: %s is an id, letter for letter', (text) => {
    expect(parseExecutionId(text)).toEqual({ ok: true, value: text })
    expect(requireExecutionId(text)).toBe(text)
  })

  it.each(malformed)('grammar: %j is refused', (text) => {
    expect(parseExecutionId(text)).toEqual({ ok: false, error: 'malformed' })
  })

  it.each(['Delay_E_1.n:x_1', `Exr_${ulid}`, `Run_${ulid}`, 'Dep_mine', 'Run_.n:x_1'])(
    'grammar: %s has a reserved prefix',
    (text) => {
      expect(parseExecutionId(text)).toEqual({ ok: false, error: 'reserved_prefix' })
    },
  )

  it('grammar: case matters', () => {
    expect(requireExecutionId('Order')).not.toBe(requireExecutionId('order'))
  })

  it('grammar: a name of the user has 128 characters, a derived id 1,024', () => {
    const tooLong = { ok: false, error: 'too_long' }
    expect(parseExecutionId('x'.repeat(executionIdLengthMax + 1))).toEqual(tooLong)
    const level = `.n:${'x'.repeat(121)}_1`
    const derived = `${'x'.repeat(16)}${level.repeat(8)}`
    expect(derived.length).toBe(derivedIdLengthMax)
    expect(parseExecutionId(derived).ok).toBe(true)
    expect(parseExecutionId(`x${derived}`)).toEqual(tooLong)
    expect(parseExecutionId(`${'x'.repeat(129)}.n:x_1`)).toEqual({ ok: false, error: 'malformed' })
  })

  it.each([
    ['a text', 'a b', '"a b" is not an execution id. Use 1 to 128 of A-Z a-z 0-9 - _ : @ /.'],
    ['a prefix', 'Run_x', '"Run_x" is not an execution id. The prefixes Delay_ Exr_ Run_ Dep_'],
    ['a number', 7, '7 is not an execution id.'],
    ['nothing', undefined, 'undefined is not an execution id.'],
    ['an object', { toString: () => 'a' }, 'An object is not an execution id.'],
  ])('require: %s that is no id', (_, text, message) => {
    const error = thrownBy(() => requireExecutionId(text))
    expect(isSteleError(error, 'invalid_execution_id')).toBe(true)
    expect(error).toMatchObject({ fields: { executionId: text } })
    expect(String(error)).toContain(message)
  })

  it('require: a new execution cannot be given a derived id', () => {
    expect(requireNewExecutionId('order-1')).toBe('order-1')
    expect(() => requireNewExecutionId('order-1.n:x_1')).toThrow('`.` is reserved')
    expect(() => requireNewExecutionId('Exr_1')).toThrow('reserved')
  })
})

describe('derived ids', () => {
  const parentId = requireExecutionId('E_1.g:1_2')
  const from: DerivedFrom = { parentId, joinSetId: named('a_b'), index: 3 }

  it('child: says parent, join set and index; the last underscore separates', () => {
    expect(childId(from)).toBe('E_1.g:1_2.n:a_b_3')
    expect(findParent(childId(from))).toEqual(from)
  })

  it('child: a name that ends like an index is read back as it was', () => {
    const tricky = { parentId, joinSetId: named('x_1'), index: 1 }
    expect(findParent(childId(tricky))).toEqual(tricky)
  })

  it('parent: a top-level id has none, and is its own root', () => {
    const top = requireExecutionId('E_1')
    expect(findParent(top)).toBeUndefined()
    expect(rootOf(top)).toBe(top)
  })

  it('root: the top of all levels', () => {
    expect(rootOf(childId(from))).toBe('E_1')
  })

  it('child: too long a family is refused', () => {
    const joinSet = named('x'.repeat(120))
    let deep = requireExecutionId('E_1')
    const descend = (): void => {
      for (let level = 0; level < 9; level += 1) {
        deep = childId({ parentId: deep, joinSetId: joinSet, index: 1 })
      }
    }
    expect(descend).toThrow('a derived one 1,024')
    expect(parseExecutionId(deep).ok).toBe(true)
  })

  it('delay: the id of a child with a prefix, read back without storage', () => {
    expect(delayId(from)).toBe('Delay_E_1.g:1_2.n:a_b_3')
    expect(parseDelayId(delayId(from))).toEqual({ ok: true, value: from })
  })

  it.each([
    ['E_1.n:x_1', 'malformed'],
    ['Delay_', 'malformed'],
    ['Delay_E_1', 'malformed'],
    ['Delay_E_1.n:x', 'malformed'],
    ['delay_E_1.n:x_1', 'malformed'],
    ['Delay_Delay_E_1.n:x_1', 'reserved_prefix'],
    [`Delay_${'x'.repeat(2000)}.n:x_1`, 'too_long'],
  ])('delay: %s is refused', (text, error) => {
    expect(parseDelayId(text)).toEqual({ ok: false, error })
  })
})

describe(`derived ids: properties (seed ${seed})`, () => {
  const alphabet = (text: string, minLength: number, maxLength: number): fc.Arbitrary<string> =>
    fc.string({ unit: fc.constantFrom(...text.split('')), minLength, maxLength })
  const tops = alphabet('abcXYZ019-_:@/', 1, 20).map((text) => `t${text}`)
  const joinSets = fc
    .tuple(fc.constantFrom('one_off', 'named', 'generated', 'messages'), alphabet('abZ0_-/', 0, 12))
    .map(([kind, name]) => {
      const id = joinSetId(kind, name)
      if (!id.ok) throw new TypeError(id.error)
      return id.value
    })
  const levels = fc.array(fc.tuple(joinSets, fc.integer({ min: 1, max: 999_999_999 })), {
    maxLength: 6,
  })

  it('property: format and parse are each other’s inverse at every level', () => {
    fc.assert(
      fc.property(tops, levels, (top, path) => {
        let id = requireExecutionId(top)
        for (const [joinSet, index] of path) {
          const from = { parentId: id, joinSetId: joinSet, index }
          id = childId(from)
          expect(parseExecutionId(id)).toEqual({ ok: true, value: id })
          expect(findParent(id)).toEqual(from)
          expect(parseDelayId(delayId(from))).toEqual({ ok: true, value: from })
        }
        expect(rootOf(id)).toBe(top)
      }),
      { seed, numRuns: 300 },
    )
  })

  it('property: different origins have different ids', () => {
    const origins = fc.tuple(joinSets, fc.integer({ min: 1, max: 99 }))
    const parentId = requireExecutionId('E_1')
    fc.assert(
      fc.property(origins, origins, ([leftSet, left], [rightSet, right]) => {
        const same = leftSet === rightSet && left === right
        const one = childId({ parentId, joinSetId: leftSet, index: left })
        const two = childId({ parentId, joinSetId: rightSet, index: right })
        expect(one === two).toBe(same)
      }),
      { seed, numRuns: 300 },
    )
  })

  it('property: no text makes a parser throw', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('a', 'E', '_', '.', ':', 'n', 'g', 'o', '1') }),
    )
    fc.assert(
      fc.property(texts, (text) => {
        for (const parse of [parseExecutionId, parseExecutorId, parseRunId, parseDeploymentId]) {
          const parsed = parse(text)
          const expected = ['malformed', 'reserved_prefix', 'too_long', text]
          expect(expected).toContain(parsed.ok ? parsed.value : parsed.error)
        }
        const delay = parseDelayId(`Delay_${text}`)
        expect(delay.ok ? delayId(delay.value) : `Delay_${text}`).toBe(`Delay_${text}`)
      }),
      { seed, numRuns: 1000 },
    )
  })
})

describe('minted ids', () => {
  it('minted: carry their prefix and can be read', () => {
    expect(newExecutionId(ulid)).toBe(`E_${ulid}`)
    expect(parseExecutionId(newExecutionId(ulid)).ok).toBe(true)
    expect(parseExecutorId(newExecutorId(ulid))).toEqual({ ok: true, value: `Exr_${ulid}` })
    expect(parseRunId(newRunId(ulid))).toEqual({ ok: true, value: `Run_${ulid}` })
    expect(parseDeploymentId(newDeploymentId(ulid))).toEqual({ ok: true, value: `Dep_${ulid}` })
  })

  it.each([
    '',
    ulid,
    `Run_${ulid}`,
    `exr_${ulid}`,
    `Exr_${ulid.toLowerCase()}`,
    `Exr_${ulid}x`,
    `Exr_${ulid.slice(1)}`,
    `Exr_${ulid}\n`,
    `Exr_${ulid.replace('A', 'U')}`,
  ])('minted: %j is not the id of an executor', (text) => {
    expect(parseExecutorId(text)).toEqual({ ok: false, error: 'malformed' })
  })

  it('minted: an executor is not a run', () => {
    expect(parseRunId(newExecutorId(ulid))).toEqual({ ok: false, error: 'malformed' })
  })

  it('deployment: any name of the user, but no dot and no blank', () => {
    expect(parseDeploymentId('v1-2026').ok).toBe(true)
    for (const text of ['', 'v1.2', 'a b', 'x'.repeat(129)]) {
      expect(parseDeploymentId(text)).toEqual({ ok: false, error: 'malformed' })
    }
  })
})
