import { describe, expect, it } from 'vitest'
import { thrownBy } from '../../base/thrown-by.ts'
import { act, begun, faultOf, returned, sub, type TestHandler } from './test-frame.ts'

describe('calls', () => {
  it('numbers: each call has one, in order, whatever it records', async () => {
    const world = await begun(async ({ random, uuid, now, sleep, joinSet }) => {
      random()
      uuid()
      now()
      joinSet('s')
      await sleep(1)
    })
    const seqs = world.log.slice(1).flatMap(({ event }) => ('seq' in event ? [event.seq] : []))
    expect(seqs).toEqual([3, 4, 4, 4])
  })

  it('numbers: a refused call has one too, so that a caught refusal moves nothing', async () => {
    const world = await begun(async ({ call, sleep }) => {
      await call(act, 1, { name: 'not a name' }).catch(() => undefined)
      await sleep(1)
    })
    expect(world.log[1]?.event).toMatchObject({ type: 'join_set_create', seq: 2 })
  })

  it('mismatch: the first one counts, and the code goes no further', async () => {
    const world = await begun(({ sleep }) => sleep(1))
    const other = world.replay(({ call, joinSet }) => {
      void call(act, 1)
      return joinSet('s')
    })
    await other.advance()
    expect(faultOf(other)).toMatchObject({ version: 1, actual: 'call 1 opens join set o:1-act' })
  })

  it('mismatch: a call that answers at once throws', async () => {
    const world = await begun(({ sleep }) => sleep(1))
    const other = world.replay(({ joinSet }) => thrownBy(() => joinSet('s')))
    await other.advance()
    expect(other.end()).toMatchObject(
      returned({
        code: 'nondeterminism',
        fields: {
          version: 1,
          expected: 'call 1 opens join set o:1-sleep',
          actual: 'call 1 opens join set n:s',
        },
      }),
    )
    expect(faultOf(other)).toMatchObject({ version: 1 })
  })

  it('mismatch: nothing can be called after it', async () => {
    const world = await begun(({ sleep }) => sleep(1))
    const other = world.replay(({ joinSet, now }) => {
      const first = thrownBy(() => joinSet('s'))
      return [first, thrownBy(now)]
    })
    await other.advance()
    const refused = { code: 'nondeterminism' }
    expect(other.end()).toMatchObject(returned([refused, refused]))
  })
})

const sleepless: TestHandler = async ({ joinSet, sleep }) => {
  joinSet('s').submit(act, 1)
  await sleep(1)
}

/** What the log says, what the code does instead, and what is told of it. */
const partings: readonly (readonly [string, TestHandler, TestHandler, object])[] = [
  [
    'another join set',
    ({ joinSet, sleep }) => [joinSet('a'), sleep(1)][1],
    ({ joinSet, sleep }) => [joinSet('b'), sleep(1)][1],
    { version: 1, expected: 'call 1 opens join set n:a', actual: 'call 1 opens join set n:b' },
  ],
  [
    'another input',
    ({ call }) => call(act, 1),
    ({ call }) => call(act, 2),
    {
      version: 2,
      expected: 'call 1 runs activity act(1) as e.o:1-act_1',
      actual: 'call 1 runs activity act(2) as e.o:1-act_1',
    },
  ],
  [
    'another function of that name in the id',
    ({ call }) => call(act, 1, { name: 'x' }),
    ({ call }) => call(sub, 1, { name: 'x' }),
    {
      version: 2,
      expected: 'call 1 runs activity act(1) as e.o:1-x_1',
      actual: 'call 1 runs workflow sub(1) as e.o:1-x_1',
    },
  ],
  [
    'another time',
    ({ sleep }) => sleep(500),
    ({ sleep }) => sleep(600),
    {
      version: 2,
      expected: 'call 1 starts delay Delay_e.o:1-sleep_1 (in 500 ms)',
      actual: 'call 1 starts delay Delay_e.o:1-sleep_1 (in 600 ms)',
    },
  ],
  [
    'an instant instead of a time',
    ({ sleep }) => sleep(500),
    ({ sleepUntil }) => sleepUntil(1_500),
    { version: 2, actual: 'call 1 starts delay Delay_e.o:1-sleep_1 (at 1500)' },
  ],
  [
    'another channel',
    ({ messages }) => messages.go.next(),
    ({ messages }) => messages.stop.next(),
    { version: 1, expected: 'call 1 awaits m:go', actual: 'call 1 awaits m:stop' },
  ],
  [
    'a look instead of a wait',
    async ({ joinSet }) => {
      const set = joinSet('s')
      set.submit(act, 1)
      await set.next()
    },
    async ({ joinSet, sleep }) => {
      const set = joinSet('s')
      set.submit(act, 1)
      set.tryNext()
      await sleep(1)
    },
    { version: 3, expected: 'call 3 awaits n:s', actual: 'call 3 looks into n:s' },
  ],
  [
    'closing instead of waiting',
    async ({ joinSet }) => {
      const set = joinSet('s')
      set.submit(act, 1)
      await set.next()
    },
    async ({ joinSet }) => {
      const set = joinSet('s')
      set.submit(act, 1)
      await set.close()
    },
    { version: 3, expected: 'call 3 awaits n:s', actual: 'call 3 closes n:s' },
  ],
  [
    'waiting where nothing was open',
    async ({ joinSet, sleep }) => {
      await joinSet('s')
        .next()
        .catch(() => undefined)
      await sleep(1)
    },
    async ({ joinSet, sleep }) => {
      joinSet('s').tryNext()
      await sleep(1)
    },
    { version: 2, expected: 'call 2 awaits n:s, of which nothing is open' },
  ],
  [
    'another schedule',
    ({ schedule, sleep }) => [schedule(sub, 1), sleep(1)][1],
    ({ schedule, sleep }) => [schedule(sub, 1, { in: 5 }), sleep(1)][1],
    {
      version: 1,
      expected: 'call 1 schedules workflow sub(1) (at once)',
      actual: 'call 1 schedules workflow sub(1) (in 5 ms)',
    },
  ],
  [
    'a call more',
    sleepless,
    (context, input) => {
      context.random()
      return sleepless(context, input)
    },
    { version: 1, expected: 'call 1 opens join set n:s', actual: 'call 2 opens join set n:s' },
  ],
  [
    'a call less',
    sleepless,
    ({ sleep }) => sleep(1),
    { version: 1, actual: 'call 1 opens join set o:1-sleep' },
  ],
]

describe('parting', () => {
  it.each(partings)('mismatch: %s', async (_, before, after, expected) => {
    const world = await begun(before)
    const other = world.replay(after)
    await other.advance()
    expect(faultOf(other)).toMatchObject(expected)
    expect(other.frame.takeWrites().creations).toEqual([])
    const same = world.replay(before)
    await same.advance()
    expect(faultOf(same)).toBeUndefined()
  })
})

describe('patched', () => {
  const old: TestHandler = async ({ sleep }) => {
    await sleep(1)
    return 'old'
  }
  const patched: TestHandler = async ({ patched: has, sleep }) => {
    const isNew = has('fee')
    await sleep(1)
    return [isNew, has('fee')]
  }

  it('patched: new work takes the new side, and records it once', async () => {
    const world = await begun(patched)
    expect(world.types().filter((type) => type === 'patched')).toHaveLength(1)
    world.delayEnds('o:1-sleep')
    await world.advance()
    expect(world.end()).toEqual(returned([true, true]))
  })

  it('patched: work that had passed there takes the old side for ever', async () => {
    const world = await begun(old)
    const later = world.replay(patched)
    later.delayEnds('o:1-sleep')
    await later.advance()
    expect(later.end()).toEqual(returned([false, false]))
    expect(later.types()).not.toContain('patched')
  })

  it('patched: work that had not got there yet takes the new side', async () => {
    const world = await begun(old)
    const later = world.replay(async ({ patched: has, sleep }) => {
      await sleep(1)
      return has('fee')
    })
    later.delayEnds('o:1-sleep')
    await later.advance()
    expect(later.end()).toEqual(returned(true))
  })

  it('patched: what was recorded is repeated', async () => {
    const world = await begun(patched)
    world.delayEnds('o:1-sleep')
    const cold = world.replay()
    await cold.advance()
    expect(cold.end()).toEqual(returned([true, true]))
    expect(cold.types()).toEqual(world.types())
  })

  it('patched: taken out of the code later, its record is no mismatch', async () => {
    const world = await begun(patched)
    const later = world.replay(old)
    later.delayEnds('o:1-sleep')
    await later.advance()
    expect(faultOf(later)).toBeUndefined()
    expect(later.end()).toEqual(returned('old'))
  })

  it('patched: in a loop that began before, it is decided once', async () => {
    const loop =
      (decide: (context: Parameters<TestHandler>[0]) => unknown): TestHandler =>
      async (context) => {
        const seen: unknown[] = []
        for (let round = 0; round < 3; round += 1) {
          seen.push(decide(context))
          await context.sleep(1)
        }
        return seen
      }
    const world = await begun(loop(() => 'old'))
    const later = world.replay(loop((context) => context.patched('fee')))
    later.delayEnds('o:1-sleep')
    await later.advance()
    later.delayEnds('o:2-sleep')
    await later.advance()
    const cold = later.replay()
    for (const one of [later, cold]) {
      one.delayEnds('o:3-sleep')
      await one.advance()
      expect(one.end()).toEqual(returned([false, false, false]))
    }
  })

  it('patched: takes no number, so that it can come and go', async () => {
    const world = await begun(({ patched: has, random }) => [has('a'), random()])
    const without = await begun(({ random }) => [true, random()])
    expect(world.end()).toEqual(without.end())
  })
})

describe('writes', () => {
  it('writesPending: events and cancellations, until they are taken', async () => {
    const { frame } = await begun(() => 'done')
    expect(frame.writesPending()).toBe(0)
    frame.write({ type: 'patched', seq: 0, patchId: 'x' })
    expect(frame.writesPending()).toBe(1)
    expect(frame.takeWrites().events).toHaveLength(1)
    expect(frame.takeWrites()).toEqual({
      events: [],
      creations: [],
      cancelledChildren: [],
      cancelledDelays: [],
    })
  })

  it('log: lines go to whoever holds the lock, or nowhere', async () => {
    const world = await begun(async ({ log, messages }) => {
      for (;;) log.info(String(await messages.go.next()))
    })
    world.frame.logTo(undefined)
    world.send('go', 'unheard')
    await world.advance()
    expect(world.lines).toEqual([])
    const other: string[] = []
    world.frame.logTo(({ message }) => other.push(message))
    world.send('go', 'heard')
    await world.advance()
    expect(other).toEqual(['heard'])
  })
})
