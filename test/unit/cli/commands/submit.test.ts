/** `stele submit`: which function, which input, and what is refused. */
import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { chooseFunction } from '../../../../src/cli/commands/submit.ts'
import { openShop, reopenShop, run, type Shop } from '../test-cli.ts'

let shop: Shop

beforeEach(async () => {
  shop = await openShop()
})

afterEach(() => {
  shop[Symbol.dispose]()
})

test('prints the id, and an engine executes it', async () => {
  const submitted = await shop.stele('submit', shop.file, 'charge', '--input', '12', '--id', 'a-1')
  expect(submitted).toEqual({ code: 0, out: 'a-1\n', err: '' })
  await using reopened = await reopenShop(shop)
  await shop.time.advance(1_000)
  const handle = await reopened.engine.get('a-1')
  expect(await handle.outcome({ timeout: 0 })).toEqual({ type: 'ok', value: { receipt: 'R-12' } })
})

test('the input comes from a file, or from the standard input', async () => {
  const file = `${shop.file}.json`
  writeFileSync(file, '13')
  await shop.stele('submit', shop.file, 'charge', '--input', `@${file}`, '--id', 'b-1')
  const options = { time: shop.time, input: '14' }
  await run(['submit', shop.file, 'charge', '--input', '-', '--id', 'b-2'], options)
  const inputs = ['b-1', 'b-2'].map(async (id) => {
    const { out } = await shop.stele('show', shop.file, id, '--json')
    const { tree } = JSON.parse(out) as {
      readonly tree: { readonly log: { readonly events: readonly { readonly input?: unknown }[] } }
    }
    return tree.log.events[0]?.input
  })
  expect(await Promise.all(inputs)).toEqual([13, 14])
})

test('the same id with another input is refused', async () => {
  const { code, err } = await shop.stele(
    'submit',
    shop.file,
    'charge',
    '--input',
    '8',
    '--id',
    'paid',
  )
  expect(code).toBe(1)
  expect(err).toContain('paid exists already')
})

test('a function that nobody has registered: the near ones, and exit code 3', async () => {
  const { code, err } = await shop.stele('submit', shop.file, 'charg')
  expect(code).toBe(3)
  expect(err).toContain('Did you mean charge?')
})

test('what is no JSON is refused with its place, and nothing is written', async () => {
  const before = await shop.stele('ls', shop.file)
  const { code, err } = await shop.stele('submit', shop.file, 'charge', '--input', '{"a":}')
  expect(code).toBe(2)
  expect(err).toContain('--input is not JSON: at line 1, column 6, a JSON value was expected')
  expect(await shop.stele('ls', shop.file)).toEqual(before)
})

test('--json gives the function too', async () => {
  const { out } = await shop.stele(
    'submit',
    shop.file,
    'order',
    '--id',
    'c-1',
    '--paused',
    '--json',
  )
  const fn = { kind: 'workflow', name: 'order', version: '1' }
  expect(JSON.parse(out)).toEqual({ id: 'c-1', function: fn })
})

describe('which function', () => {
  const registered = (kind: 'activity' | 'workflow', version: string, lastSeenAt: number) => ({
    function: { kind, name: 'f', version },
    firstSeenAt: 0,
    lastSeenAt,
  })

  test('the version that was registered last', () => {
    const known = [registered('activity', '1', 5), registered('activity', '2', 9)]
    expect(chooseFunction(known, 'f', {})).toEqual({ kind: 'activity', name: 'f', version: '2' })
  })

  test('of two kinds, the one that is said', () => {
    const known = [registered('activity', '1', 5), registered('workflow', '1', 9)]
    expect(chooseFunction(known, 'f', { kind: 'activity' }).kind).toBe('activity')
    expect(() => chooseFunction(known, 'f', {})).toThrow('Say which with --kind')
  })

  test('one that will be registered later', () => {
    const given = { kind: 'workflow', functionVersion: '7' } as const
    expect(chooseFunction([], 'g', given)).toEqual({ kind: 'workflow', name: 'g', version: '7' })
  })
})
