import { defineWorkflow, err, unchecked } from 'stele'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { findDefinition } from '../../../../src/workers/definition.ts'
import { thrownBy } from '../../base/thrown-by.ts'
import { openTestEngine } from '../../client/test-engine.ts'

describe('defineWorkflow', () => {
  it('workflow: kind, name and version, implemented', () => {
    expect(defineWorkflow({ name: 'checkout', version: '2' }, () => 1)).toMatchObject({
      kind: 'workflow',
      name: 'checkout',
      version: '2',
      implemented: true,
    })
  })

  it('declaration: is not implemented, until it is', () => {
    const declared = defineWorkflow({ name: 'checkout' })
    expect(declared).not.toHaveProperty('implemented')
    expect(declared.implement(() => undefined)).toMatchObject({
      kind: 'workflow',
      implemented: true,
    })
  })

  it('definition: settings, channels, policy and handler', () => {
    const handler = (): number => 1
    const go = unchecked<number>()
    const workflow = defineWorkflow({ name: 'checkout', messages: { go, 'a/b_c-d': go } }, handler)
    expect(findDefinition(workflow)).toMatchObject({
      kind: 'workflow',
      settings: { id: { kind: 'workflow', name: 'checkout', version: '1' } },
      onNondeterminism: 'pause',
      handler,
    })
    const definition = findDefinition(workflow)
    expect(definition).toHaveProperty('messages', new Map(Object.entries({ go, 'a/b_c-d': go })))
    expect(findDefinition(defineWorkflow({ name: 'checkout' }))).not.toHaveProperty('handler')
    expect(
      findDefinition(defineWorkflow({ name: 'w', onNondeterminism: 'fail' }, handler)),
    ).toHaveProperty('onNondeterminism', 'fail')
  })

  it('copy: spread into another object it stays a workflow', () => {
    const workflow = defineWorkflow({ name: 'checkout' }, () => 1)
    expect(findDefinition({ ...workflow })).toBe(findDefinition(workflow))
  })

  it.each([null, 'checkout', 5, {}])('handler: %s is refused', (handler) => {
    const refused = expect.objectContaining({ code: 'invalid_option' })
    expect(() => defineWorkflow({ name: 'w' }, handler as never)).toThrow(refused)
    expect(() => defineWorkflow({ name: 'w' }).implement(handler as never)).toThrow(refused)
  })

  it.each([
    ['no name', {}, 'invalid_name'],
    ['an unknown option', { name: 'w', retires: 3 }, 'invalid_option'],
    ['a policy', { name: 'w', onNondeterminism: 'ignore' }, 'invalid_option'],
    ['messages of another type', { name: 'w', messages: 5 }, 'invalid_option'],
    ['a channel that has no name', { name: 'w', messages: { '': unchecked() } }, 'invalid_option'],
    ['a channel with a space', { name: 'w', messages: { 'a b': unchecked() } }, 'invalid_option'],
    ['a channel without a schema', { name: 'w', messages: { go: {} } }, 'invalid_option'],
  ])('options: %s is refused', (_, options, code) => {
    expect(thrownBy(() => defineWorkflow(options as never, () => 1))).toMatchObject({ code })
  })

  it('types: are for the compiler alone', () => {
    const workflow = defineWorkflow({ name: 'w' }, () => 1)
    expect(thrownBy(() => workflow['~messages']({}))).toMatchObject({ code: 'internal' })
  })
})

describe('a workflow in an engine', () => {
  it('run: declared here, implemented there, with schemas on all sides', async () => {
    const declared = defineWorkflow({
      name: 'checkout',
      input: z.object({ total: z.coerce.number<string>() }),
      output: z.number(),
      failure: z.string(),
    })
    const checkout = declared.implement(({ total }) => (total < 0 ? err('negative') : total + 1))
    await using world = await openTestEngine({ functions: [checkout] })
    const good = await world.engine.submit(declared, { total: '5' })
    const bad = await world.engine.submit(declared, { total: '-5' })
    await world.settle()
    expect(await good.result({ timeout: 0 })).toBe(6)
    expect(await bad.outcome({ timeout: 0 })).toEqual({ type: 'err', value: 'negative' })
    await world.check()
  })

  it('recursion: a workflow may call itself', async () => {
    const factorial = defineWorkflow({
      name: 'factorial',
      input: unchecked<number>(),
      output: unchecked<number>(),
    }).implement(async (n, { call }) => (n <= 1 ? 1 : n * (await call(factorial, n - 1))))
    await using world = await openTestEngine({ functions: [factorial] })
    const handle = await world.engine.submit(factorial, 5)
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toBe(120)
    await world.check()
  })
})
