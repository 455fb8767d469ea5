import { describe, expect, it } from 'vitest'
import { act, begun, faultOf, returned, testFrame } from './test-frame.ts'

const day = '1 day'

describe('turns', () => {
  it('start: the handler is given the decoded input, and its value is its end', async () => {
    const world = await begun((_, input) => [input], { input: { total: 5 } })
    expect(world.end()).toEqual(returned([{ total: 5 }]))
    expect(world.types()).toEqual([])
    expect(world.frame.isClosed()).toBe(true)
  })

  it('start: what the handler throws at once is a rejection like any other', async () => {
    const world = await begun(() => {
      throw new TypeError('at once')
    })
    expect(world.end()).toEqual({ type: 'threw', error: new TypeError('at once') })
  })

  it('start: an input that the codec cannot read is a fault, and the handler is not called', async () => {
    let calls = 0
    const world = await begun(() => (calls += 1), { input: { $devalue: 'nonsense' } })
    expect(world.frame.fault()).toMatchObject({ type: 'input_unreadable' })
    expect(calls).toBe(0)
    expect(world.frame.hasNext()).toBe(false)
  })

  it('order: responses come by cursor, whatever was asked first', async () => {
    const seen: unknown[] = []
    const world = await begun(async ({ call, messages }) => {
      await Promise.all([
        call(act, 1).then(() => seen.push('child')),
        messages.go.next().then(() => seen.push('go')),
        messages.stop.next().then(() => seen.push('stop')),
      ])
    })
    world.send('stop').send('go').childEnds('o:1-act')
    await world.advance()
    expect(seen).toEqual(['stop', 'go', 'child'])
  })

  it('order: one response a turn, and everything that it sets free runs before the next', async () => {
    const seen: string[] = []
    const world = await begun(async ({ messages }) => {
      const hear = async (name: 'go' | 'stop'): Promise<void> => {
        await messages[name].next()
        for (let tick = 0; tick < 5; tick += 1) await Promise.resolve()
        seen.push(name)
      }
      await Promise.all([hear('go'), hear('stop')])
    })
    world.send('go').send('stop')
    await world.turn()
    expect(seen).toEqual(['go'])
    await world.turn()
    expect(seen).toEqual(['go', 'stop'])
  })

  it('order: a step end comes after everything that had arrived when it was recorded', async () => {
    const seen: string[] = []
    const handler: Parameters<typeof begun>[0] = async ({ step, messages }) => {
      const first = messages.go.next().then(() => seen.push('go'))
      const done = step('a', () => 1).then(() => seen.push('step'))
      await Promise.all([first, done])
      await messages.stop.next()
    }
    const world = await begun(handler)
    world.send('go').stepEnds(2, 'a').send('stop')
    const again = world.replay()
    await world.advance()
    expect(seen).toEqual(['go', 'step'])
    expect(world.end()).toEqual(returned(undefined))
    expect(again.frame.hasNext()).toBe(true)
  })

  it('order: a replay gives a step end before a response that came after it', async () => {
    const seen: string[] = []
    const world = await begun(async ({ step, messages }) => {
      await Promise.all([
        messages.go.next().then(() => seen.push('go')),
        step('a', () => 1).then(() => seen.push('step')),
      ])
    })
    world.stepEnds(2, 'a')
    await world.advance()
    world.send('go')
    await world.advance()
    expect(seen.splice(0)).toEqual(['step', 'go'])
    await world.replay().advance()
    expect(seen).toEqual(['step', 'go'])
  })

  it('hasNext: a frame that has ended, or waits, has nothing to deliver', async () => {
    const waiting = await begun(({ sleep }) => sleep(day))
    expect(waiting.frame.hasNext()).toBe(false)
    waiting.frame.beginTurn()
    expect(waiting.frame.isPast()).toBe(false)
    expect(faultOf(waiting)).toBeUndefined()
  })

  it('seen: the highest cursor that was taken in', async () => {
    const world = await begun(({ sleep }) => sleep(day))
    expect(world.frame.seen()).toBe(0)
    world.send('go').send('go')
    expect(world.frame.seen()).toBe(2)
  })
})

describe('the end of a handler', () => {
  it('close: open sets close in reverse order, one-offs of calls that nobody awaits included', async () => {
    const world = await begun(({ call, sleep, joinSet }) => {
      void sleep(day)
      joinSet('boxes').submit(act, 1)
      void call(act, 2)
      return 'done'
    })
    expect(world.end()).toEqual(returned('done'))
    expect(world.cancelled).toEqual(['e.o:2-act_1', 'e.n:boxes_1', 'Delay_e.o:1-sleep_1'])
    expect(world.frame.isClosed()).toBe(false)
    world.childEnds('o:2-act').childEnds('n:boxes').delayEnds('o:1-sleep', 'cancelled')
    await world.advance()
    expect(world.frame.isClosed()).toBe(true)
  })

  it('close: what comes afterwards reaches no code', async () => {
    const seen: unknown[] = []
    const world = await begun(({ call }) => {
      void call(act, 1).then((value) => seen.push(value))
      return 'done'
    })
    world.childEnds('o:1-act', { type: 'ok', value: 5 })
    await world.advance()
    expect(seen).toEqual([])
    expect(world.frame.isClosed()).toBe(true)
  })

  it('close: a step that nobody awaits is given up', async () => {
    const world = await begun(({ step }) => {
      void step('slow', () => 1)
      return 'done'
    })
    expect(world.frame.steps.hasOpen()).toBe(false)
    expect(world.frame.isClosed()).toBe(true)
  })

  it('close: the end of a step that was recorded and given up is no fault of the code', async () => {
    const world = await begun(async ({ step, call }) => {
      void step('a', () => 1)
      await step('b', () => 2)
      void call(act, 1)
      return 'done'
    })
    world.stepEnds(2, 'b').stepEnds(1, 'a')
    await world.advance()
    expect(world.end()).toEqual(returned('done'))
    expect(faultOf(world)).toBeUndefined()
    const again = world.replay()
    await again.advance()
    expect(faultOf(again)).toBeUndefined()
  })

  it('unheard: the first rejection that nobody hears is kept until somebody does', async () => {
    const { frame } = await begun(() => 'done')
    expect(frame.firstUnheard()).toBeUndefined()
    const one = Promise.resolve(1)
    frame.addUnheard(one, 'first')
    frame.addUnheard(Promise.resolve(2), 'second')
    expect(frame.firstUnheard()).toEqual({ error: 'first' })
    frame.removeUnheard(one)
    expect(frame.firstUnheard()).toEqual({ error: 'second' })
  })

  it('cancelOpen: everything that is open, and that the log asked for, is cancelled', async () => {
    const world = await begun(async ({ call, sleep }) => {
      void sleep(day)
      void call(act, 1)
      await sleep(day)
    })
    const other = world.replay(async ({ sleep }) => {
      await sleep(day)
      return 'short'
    })
    await other.advance()
    expect(faultOf(other)).toMatchObject({ actual: 'does nothing more' })
    other.frame.takeWrites()
    other.frame.cancelOpen()
    const { cancelledChildren, cancelledDelays } = other.frame.takeWrites()
    expect(cancelledChildren).toEqual(['e.o:2-act_1'])
    expect(cancelledDelays).toEqual(['Delay_e.o:1-sleep_1', 'Delay_e.o:3-sleep_1'])
  })
})

describe('code that waits for what is not ours', () => {
  it('foreign: a promise that nothing of ours will settle is a fault', async () => {
    const world = await begun(() => new Promise(() => undefined))
    expect(faultOf(world)).toMatch(/waits for a promise that is not of Stele.*Wrap I\/O in `step`/s)
    expect(world.types()).toEqual([])
  })

  it('foreign: while something of ours is awaited too, nothing can be told', async () => {
    const world = await begun(({ sleep }) =>
      Promise.all([sleep(day), new Promise(() => undefined)]),
    )
    expect(faultOf(world)).toBeUndefined()
  })

  it('foreign: a call outside a turn is a fault, and is not recorded', async () => {
    let resume: () => void = () => undefined
    const foreign = new Promise<void>((resolve) => {
      resume = resolve
    })
    const world = await begun(async ({ sleep, call }) => {
      void sleep(day)
      await foreign
      await call(act, 1)
    })
    resume()
    await foreign
    await Promise.resolve()
    expect(faultOf(world)).toMatch(/^`call` was called while the workflow was not running/)
    expect(world.frame.writesPending()).toBe(0)
    expect(world.frame.hasNext()).toBe(false)
  })

  it('foreign: a handler that ends outside a turn has not ended', async () => {
    let resume: (value: number) => void = () => undefined
    const foreign = new Promise<number>((resolve) => {
      resume = resolve
    })
    const world = await begun(({ sleep }) => {
      void sleep(day)
      return foreign
    })
    resume(5)
    await foreign
    await new Promise<void>((resolve) => {
      setImmediate(resolve)
    })
    expect(faultOf(world)).toMatch(/while the workflow was not running/)
    expect(world.frame.hasNext()).toBe(false)
  })

  it.each(['now', 'random', 'uuid'] as const)('foreign: %s outside a turn throws', async (name) => {
    const world = testFrame((context) => context[name])
    await world.advance()
    const { value: member } = world.end() as { value: () => unknown }
    expect(member).toThrow(expect.objectContaining({ code: 'nondeterminism' }))
  })
})

describe('replay', () => {
  it('replay: the same log and inbox give the same end, and nothing new is written', async () => {
    const world = await begun(async ({ call, sleep, messages, now, random, uuid }) => {
      const values: unknown[] = [random(), uuid(), now()]
      values.push(await call(act, 1))
      await sleep(day)
      values.push(await messages.go.next(), now())
      return values
    })
    world.at(2_000).childEnds('o:1-act', { type: 'ok', value: 7 })
    await world.advance()
    world.at(90_000_000).delayEnds('o:2-sleep').send('go', 'now')
    await world.advance()
    const cold = world.replay()
    await cold.advance()
    expect(cold.end()).toEqual(world.end())
    expect(cold.types()).toEqual(world.types())
    expect(cold.creations).toEqual([])
    expect(world.end()).toEqual(
      returned([expect.any(Number), expect.any(String), 1_000, 7, 'now', 90_000_000]),
    )
  })

  it('replay: at any moment, a cold frame stands where the warm one does', async () => {
    const world = await begun(async ({ joinSet, log, messages, patched, sleep, step }) => {
      const seen: unknown[] = []
      const note = (what: unknown): void => {
        seen.push(what)
        log.info(String(what))
      }
      const pool = joinSet('pool', { concurrency: 2, of: act })
      for (const n of [1, 2, 3]) pool.submit(act, n)
      const set = joinSet('set', { onFailure: 'cancel' })
      set.submit(act, 4)
      set.submit(act, 5)
      const racing = Promise.race([step('slow', () => 1), sleep(10)])
      const message = messages.go.next({ timeout: 5 })
      for await (const { id } of pool) note(id)
      note(await message)
      note((await set.next()).outcome.type)
      if (patched('new')) note(await racing)
      note(set.tryNext()?.id)
      await set.close()
      return seen
    })
    const moments: readonly (() => unknown)[] = [
      () => world.childEnds('n:pool', { type: 'ok' }, 2),
      () => world.childEnds('n:set', { type: 'err' }, 2).childEnds('n:pool'),
      () => world.send('go', 'hello'),
      () => world.delayEnds('o:2-timeout', 'cancelled'),
      () => world.stepEnds(8, 'slow', { type: 'ok', value: 'slow' }),
      () => world.childEnds('n:pool', { type: 'ok' }, 3),
      () => world.childEnds('n:set', { type: 'execution_failure', kind: 'cancelled' }),
      () => world.delayEnds('o:1-sleep', 'cancelled'),
    ]
    for (const happen of moments) {
      happen()
      await world.advance()
      const cold = world.replay()
      await cold.advance()
      expect(faultOf(cold)).toBeUndefined()
      expect(cold.end()).toEqual(world.end())
      expect(cold.creations).toEqual([])
      expect(cold.frame.sets.openMembers()).toEqual(world.frame.sets.openMembers())
      expect(cold.frame.now()).toBe(world.frame.now())
    }
    expect(world.end()).toMatchObject({ type: 'returned' })
    expect(world.frame.isClosed()).toBe(true)
  })

  it('replay: where the log leaves it open, what was said is said again', async () => {
    const world = await begun(async ({ joinSet, log, step }) => {
      void step('slow', () => 1)
      const pool = joinSet('s', { concurrency: 2 })
      for (const n of [1, 2]) pool.submit(act, n)
      for await (const { id } of pool) log.info(id)
    })
    world.childEnds('n:s')
    await world.advance()
    // A step runs, so that no wait was recorded; and ends in a pool were asked for at its start.
    const cold = world.replay()
    await cold.advance()
    expect([world.lines, cold.lines]).toEqual([['e.n:s_1'], ['e.n:s_1']])
  })

  it('replay: lines are logged once', async () => {
    const world = await begun(async ({ log, sleep }) => {
      log.info('before')
      await sleep(day)
      log.info('after')
    })
    expect(world.lines).toEqual(['before'])
    const cold = world.replay()
    await cold.advance()
    expect(cold.lines).toEqual([])
    cold.delayEnds('o:1-sleep')
    await cold.advance()
    expect(cold.lines).toEqual(['after'])
  })

  it('replay: what was cancelled then is not cancelled again', async () => {
    const world = await begun(async ({ joinSet, sleep }) => {
      const set = joinSet('boxes')
      set.submit(act, 1)
      set.cancel()
      await sleep(day)
    })
    expect(world.cancelled).toEqual(['e.n:boxes_1'])
    const cold = world.replay()
    await cold.advance()
    expect(cold.cancelled).toEqual([])
  })

  it('now: the latest instant the code was told of; a clock that goes back does not turn it back', async () => {
    const seen: number[] = []
    const world = await begun(
      async ({ messages, now }) => {
        for (;;) {
          seen.push(now())
          await messages.go.next()
        }
      },
      { scheduledAt: 1_500, now: 9_999 },
    )
    world.at(3_000).send('go')
    await world.advance()
    world.at(2_000).send('go')
    await world.advance()
    expect(seen).toEqual([1_500, 3_000, 3_000])
  })
})

describe('parts of log and code', () => {
  it('leftover: events that the code does not repeat are a mismatch at the first of them', async () => {
    const world = await begun(async ({ sleep, call }) => {
      await Promise.all([sleep(day), call(act, 1)])
    })
    const shorter = world.replay(({ sleep }) => sleep(day))
    await shorter.advance()
    expect(faultOf(shorter)).toEqual({
      version: 4,
      expected: 'call 2 opens join set o:2-act',
      actual: 'does nothing more',
    })
  })

  it('leftover: a step end whose call the code has not made', async () => {
    const world = await begun(({ step }) => step('a', () => 1))
    world.stepEnds(1, 'a')
    await world.advance()
    const other = world.replay(({ messages }) => messages.go.next())
    await other.advance()
    expect(faultOf(other)).toMatchObject({
      version: 1,
      expected: 'call 1 is step "a"',
      actual: 'call 1 awaits m:go',
    })
    const later = world.replay(() => new Promise(() => undefined))
    await later.advance()
    expect(faultOf(later)).toEqual({
      version: 1,
      expected: 'call 1 is step "a"',
      actual: 'has not made that call',
    })
  })

  it('mismatch: code that meets one goes no further, not even into its own catch', async () => {
    const seen: unknown[] = []
    const world = await begun(({ sleep }) => sleep(day))
    const other = world.replay(async ({ call }) => {
      try {
        await call(act, 1)
      } catch (error) {
        seen.push(error)
      } finally {
        seen.push('finally')
      }
    })
    await other.advance()
    expect(faultOf(other)).toMatchObject({ version: 1 })
    expect(seen).toEqual([])
    expect(other.end()).toBe('has not ended')
  })
})
