import { defineActivity, defineWorkflow, functionRef, unchecked, type WorkflowHandle } from 'stele'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { messageIdLengthMax } from '../../../src/client/send.ts'
import { openTestEngine } from './test-engine.ts'

const approve = z.object({ by: z.string().trim() })
const collect = defineWorkflow(
  { name: 'collect', messages: { approve, 'a/b': unchecked<unknown>() } },
  async (count: number, { messages }) => {
    const seen: unknown[] = []
    while (seen.length < count) seen.push(await messages.approve.next())
    return seen
  },
)
const charge = defineActivity({ name: 'charge' }).stub()
const functions = [collect, charge]

const refused = (code: string): unknown => expect.objectContaining({ code })

describe('send', () => {
  it('send: reaches a workflow that waits', async () => {
    await using world = await openTestEngine({ functions })
    const handle = await world.engine.submit(collect, 1)
    await world.settle()
    await handle.send('approve', { by: 'ann' })
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toEqual([{ by: 'ann' }])
    await world.check()
  })

  it('send: is kept for a workflow that has not begun, in order', async () => {
    await using world = await openTestEngine({ functions, started: false })
    const handle = await world.engine.submit(collect, 2)
    await handle.send('approve', { by: 'ann' })
    await handle.send('approve', { by: 'bob' })
    await world.engine.start()
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toEqual([{ by: 'ann' }, { by: 'bob' }])
  })

  it('send: what the schema makes of it is what is stored', async () => {
    await using world = await openTestEngine({ functions })
    const handle = await world.engine.submit(collect, 1)
    await handle.send('approve', { by: '  ann ' })
    const { responses } = await handle.log()
    expect(responses).toMatchObject([
      { type: 'message', joinSetId: 'm:approve', payload: { by: 'ann' } },
    ])
  })

  it('send: a message of one id is delivered once in its channel', async () => {
    await using world = await openTestEngine({ functions })
    const handle = await world.engine.submit(collect, 2)
    await handle.send('approve', { by: 'ann' }, { id: '1' })
    await handle.send('approve', { by: 'again' }, { id: '1' })
    await handle.send('a/b', 'another channel', { id: '1' })
    await handle.send('approve', { by: 'bob' }, { id: '2' })
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toEqual([{ by: 'ann' }, { by: 'bob' }])
  })

  it('send: the payload is copied', async () => {
    await using world = await openTestEngine({ functions })
    const handle = await world.engine.submit(collect, 1)
    const payload = { by: 'ann', more: [1] }
    const sent = handle.send('a/b', payload)
    payload.more.push(2)
    await sent
    expect((await handle.log()).responses).toMatchObject([{ payload: { by: 'ann', more: [1] } }])
  })

  it.each([
    ['a channel that is not declared', 'aprove', { by: 'x' }, undefined, 'unknown_channel'],
    ['a channel that cannot be one', 'a b', { by: 'x' }, undefined, 'unknown_channel'],
    ['a channel of another type', 5, { by: 'x' }, undefined, 'invalid_option'],
    ['a payload', 'approve', { by: 5 }, undefined, 'invalid_input'],
    ['what cannot be stored', 'a/b', { f: () => 1 }, undefined, 'value_not_storable'],
    ['too much', 'a/b', 'x'.repeat(3_000_000), undefined, 'value_too_large'],
    ['unknown options', 'approve', { by: 'x' }, { key: '1' }, 'invalid_option'],
    ['an empty id', 'approve', { by: 'x' }, { id: '' }, 'invalid_option'],
    ['an id that is too long', 'approve', { by: 'x' }, { id: 'x'.repeat(257) }, 'invalid_option'],
    ['an id of another type', 'approve', { by: 'x' }, { id: 5 }, 'invalid_option'],
  ])('refusal: %s', async (_, ...[channel, payload, options, code]) => {
    await using world = await openTestEngine({ functions })
    const handle = await world.engine.submit(collect, 1)
    const sent = handle.send(channel as never, payload as never, options as never)
    await expect(sent).rejects.toMatchObject({ code })
    expect((await handle.log()).responses).toEqual([])
  })

  it('refusal: says which function, execution and channel', async () => {
    await using world = await openTestEngine({ functions })
    const handle = await world.engine.submit(collect, 1, { id: 'order-1' })
    await expect(handle.send('aprove' as never, 1 as never)).rejects.toMatchObject({
      message: expect.stringMatching(/^collect order-1 has no message channel "aprove"\. Declare/),
      fields: { executionId: 'order-1', functionName: 'collect', channel: 'aprove' },
    })
  })

  it('id: of the greatest length is taken', async () => {
    await using world = await openTestEngine({ functions })
    const handle = await world.engine.submit(collect, 1)
    const id = 'x'.repeat(messageIdLengthMax)
    await expect(handle.send('approve', { by: 'ann' }, { id })).resolves.toBeUndefined()
  })

  it('refusal: an activity has no channels', async () => {
    await using world = await openTestEngine({ functions })
    await world.engine.submit(charge, undefined, { id: 'charge-1' })
    const handle = (await world.engine.get('charge-1')) as WorkflowHandle<unknown>
    await expect(handle.send('approve' as never)).rejects.toEqual(refused('unknown_channel'))
  })

  it('refusal: a workflow that has ended', async () => {
    await using world = await openTestEngine({ functions })
    const ended = await world.engine.submit(collect, 0)
    await world.settle()
    await expect(ended.send('approve', { by: 'x' })).rejects.toEqual(refused('already_finished'))
  })

  it('refusal: a workflow that is being cancelled', async () => {
    await using world = await openTestEngine({ functions, started: false })
    const handle = await world.engine.submit(collect, 1)
    await handle.cancel()
    await expect(handle.send('approve', { by: 'x' })).rejects.toMatchObject({
      code: expect.stringMatching(/^(illegal_state|already_finished)$/),
    })
  })

  it('refusal: an engine that has stopped', async () => {
    await using world = await openTestEngine({ functions })
    const handle = await world.engine.submit(collect, 1)
    await world.stop()
    await expect(handle.send('approve', { by: 'x' })).rejects.toEqual(refused('engine_stopped'))
  })

  it('client: an engine that does not know the workflow sends unchecked', async () => {
    await using world = await openTestEngine({ functions: [], started: false })
    const ref = functionRef<typeof collect>('collect', { kind: 'workflow' })
    const handle = await world.engine.submit(ref, 1)
    await handle.send('approve', { by: 5 as never })
    expect((await handle.log()).responses).toMatchObject([{ payload: { by: 5 } }])
    await expect(handle.send('a b' as never, 1 as never)).rejects.toEqual(
      refused('unknown_channel'),
    )
  })

  it('client: a handle that was got with the function checks by it', async () => {
    await using world = await openTestEngine({ functions: [], started: false })
    const { id } = await world.engine.submit(collect, 1)
    const handle = await world.engine.get(id, collect)
    await expect(handle.send('approve', { by: 5 as never })).rejects.toEqual(
      refused('invalid_input'),
    )
  })
})
