import { describe, expect, it } from 'vitest'
import type { Purpose } from '../../../src/base/time.ts'
import {
  createKernel,
  type DuePoll,
  type Kernel,
  type KernelOptions,
  type PutOff,
  type RunLimits,
} from '../../../src/simulation/kernel.ts'

const start = 1_000
const second = 1_000

interface TestKernel extends Kernel {
  /** Runs until nothing waits any more, unless told otherwise. */
  readonly play: (limits?: Partial<RunLimits>) => ReturnType<Kernel['run']>
  readonly thrown: string[]
}

function open(options: Partial<KernelOptions> = {}): TestKernel {
  const thrown: string[] = []
  const kernel = createKernel({
    start,
    pick: () => 0,
    skewOf: () => 0,
    putOff: () => 'now',
    beforeStep: () => undefined,
    onThrow: (process, error) => thrown.push(`${process}: ${String(error)}`),
    ...options,
  })
  const all = { isDone: () => false, steps: 1_000, until: start + 1_000 * second }
  return { ...kernel, thrown, play: (limits) => kernel.run({ ...all, ...limits }) }
}

describe('the kernel', () => {
  it('runs the turns of a process in the order in which they were asked for', async () => {
    const kernel = open()
    const { scheduler } = kernel.createLife('a')
    const seen: number[] = []
    for (const turn of [1, 2, 3]) scheduler.soon(() => seen.push(turn))
    expect(await kernel.play()).toBe('idle')
    expect(seen).toEqual([1, 2, 3])
  })

  it('keeps that order within a process whoever is picked', async () => {
    const kernel = open({ pick: (count) => count - 1 })
    const seen: string[] = []
    for (const name of ['a', 'b']) {
      const { scheduler } = kernel.createLife(name)
      for (const turn of [1, 2]) scheduler.soon(() => seen.push(`${name}${turn}`))
    }
    await kernel.play()
    expect(seen.filter((turn) => turn.startsWith('a'))).toEqual(['a1', 'a2'])
    expect(seen.filter((turn) => turn.startsWith('b'))).toEqual(['b1', 'b2'])
    expect(seen[0]).toBe('b1')
  })

  it('lets the one go on that has waited longest when 0 is picked', async () => {
    const kernel = open()
    const [a, b] = [kernel.createLife('a'), kernel.createLife('b')]
    const seen: string[] = []
    b.scheduler.soon(() => seen.push('b'))
    a.scheduler.soon(() => seen.push('a'))
    await kernel.play()
    expect(seen).toEqual(['b', 'a'])
  })

  it('runs every promise of a step to its end before the next step', async () => {
    const kernel = open()
    const [a, b] = [kernel.createLife('a'), kernel.createLife('b')]
    const seen: string[] = []
    const chain = async (): Promise<void> => {
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
      seen.push('the promises of a')
    }
    a.scheduler.soon(() => void chain())
    b.scheduler.soon(() => seen.push('b'))
    await kernel.play()
    expect(seen).toEqual(['the promises of a', 'b'])
  })

  it('says whose step runs, in its promises too, and that nobody does outside of steps', async () => {
    const kernel = open()
    const a = kernel.createLife('a')
    const seen: unknown[] = []
    const look = (): unknown => seen.push(kernel.current()?.process)
    a.scheduler.soon(() => {
      look()
      void Promise.resolve().then(look)
    })
    await kernel.play()
    look()
    expect(seen).toEqual(['a', 'a', undefined])
  })

  it('calls back when all is quiet at the end of the same step', async () => {
    const kernel = open()
    const { scheduler } = kernel.createLife('a')
    const seen: string[] = []
    scheduler.soon(() => {
      scheduler.onQuiet(() => seen.push('quiet'))
      void Promise.resolve().then(() => seen.push('promise'))
    })
    scheduler.soon(() => seen.push('next step'))
    await kernel.play()
    expect(seen).toEqual(['promise', 'quiet', 'next step'])
  })

  it('hands what is thrown to whoever asked for it, and goes on', async () => {
    const kernel = open()
    const { scheduler } = kernel.createLife('a')
    let isReached = false
    scheduler.soon(() => {
      throw new TypeError('oh')
    })
    scheduler.soon(() => {
      isReached = true
    })
    await kernel.play()
    expect(kernel.thrown).toEqual(['a: TypeError: oh'])
    expect(isReached).toBe(true)
  })
})

describe('time', () => {
  it('jumps from timer to timer', async () => {
    const kernel = open()
    const { scheduler } = kernel.createLife('a')
    const seen: number[] = []
    for (const delay of [500, 20, 20]) scheduler.after(delay, () => seen.push(kernel.now() - start))
    await kernel.play()
    expect(seen).toEqual([20, 20, 500])
  })

  it('is that of the process where its clock is off, and true elsewhere', () => {
    const kernel = open({ skewOf: (process) => (process === 'a' ? -30 : 0) })
    expect(kernel.createLife('a').clock.now()).toBe(start - 30)
    expect(kernel.createLife('b').clock.now()).toBe(start)
    expect(kernel.now()).toBe(start)
  })

  it('does not wait for a timer that was cancelled', async () => {
    const kernel = open()
    const { scheduler } = kernel.createLife('a')
    const seen: string[] = []
    const cancel = scheduler.after(5, () => seen.push('cancelled'))
    scheduler.after(9, () => seen.push('kept'))
    cancel()
    await kernel.play()
    expect(seen).toEqual(['kept'])
  })

  it('a timer cancelled when it is due already does not run', async () => {
    const kernel = open()
    const { scheduler } = kernel.createLife('a')
    const seen: string[] = []
    scheduler.after(5, () => {
      seen.push('first')
      cancel()
    })
    const cancel = scheduler.after(5, () => seen.push('second'))
    await kernel.play()
    expect(seen).toEqual(['first'])
  })
})

describe('a run ends', () => {
  it('when it is done, before another step', async () => {
    const kernel = open()
    const { scheduler } = kernel.createLife('a')
    for (let turn = 0; turn < 5; turn += 1) scheduler.soon(() => undefined)
    expect(await kernel.play({ isDone: () => kernel.steps() === 2 })).toBe('done')
    expect(kernel.steps()).toBe(2)
  })

  it('when its steps are used up, those of earlier runs included', async () => {
    const kernel = open()
    const { scheduler } = kernel.createLife('a')
    const again = (): void => scheduler.soon(again)
    again()
    expect(await kernel.play({ steps: 3 })).toBe('out_of_steps')
    expect(await kernel.play({ steps: 5 })).toBe('out_of_steps')
    expect(kernel.steps()).toBe(5)
  })

  it('before what is due later than its time, which a longer run reaches', async () => {
    const kernel = open()
    const { scheduler } = kernel.createLife('a')
    let isReached = false
    scheduler.after(2 * second, () => {
      isReached = true
    })
    expect(await kernel.play({ until: start + second })).toBe('out_of_time')
    expect([isReached, kernel.now()]).toEqual([false, start])
    expect(await kernel.play({ until: start + 2 * second })).toBe('idle')
    expect([isReached, kernel.now()]).toEqual([true, start + 2 * second])
  })

  it('asks before each step whether something goes wrong', async () => {
    let asked = 0
    const kernel = open({
      beforeStep: () => {
        asked += 1
      },
    })
    const { scheduler } = kernel.createLife('a')
    for (let turn = 0; turn < 3; turn += 1) scheduler.soon(() => undefined)
    await kernel.play()
    expect(asked).toBe(4)
  })
})

describe('a life that has ended', () => {
  it('runs nothing of what it left behind', async () => {
    const kernel = open()
    const [a, b] = [kernel.createLife('a'), kernel.createLife('b')]
    const seen: string[] = []
    a.scheduler.soon(() => seen.push('turn'))
    a.scheduler.after(5, () => seen.push('timer'))
    a.scheduler.after(5, () => seen.push('poll'), 'poll')
    b.scheduler.soon(() => a.end())
    a.end()
    await kernel.play()
    expect(seen).toEqual([])
  })

  it('leaves its quiet unsaid when it ends within its step', async () => {
    const kernel = open()
    const a = kernel.createLife('a')
    const seen: string[] = []
    a.scheduler.soon(() => {
      a.scheduler.onQuiet(() => seen.push('quiet'))
      a.end()
    })
    await kernel.play()
    expect(seen).toEqual([])
  })

  it('takes nothing new', async () => {
    const kernel = open()
    const a = kernel.createLife('a')
    a.end()
    a.scheduler.soon(() => expect.unreachable())
    a.scheduler.after(1, () => expect.unreachable())()
    expect(await kernel.play()).toBe('idle')
    expect([kernel.steps(), kernel.thrown]).toEqual([0, []])
  })

  it('says so once, to those who have asked', () => {
    const a = open().createLife('a')
    let told = 0
    a.onEnd(() => {
      told += 1
    })
    a.end()
    a.end()
    expect([told, a.isAlive()]).toEqual([1, false])
  })

  it('is another one than the next life of the process', async () => {
    const kernel = open()
    const before = kernel.createLife('a')
    before.end()
    const after = kernel.createLife('a')
    let isReached = false
    after.scheduler.soon(() => {
      isReached = true
    })
    await kernel.play()
    expect([before.isAlive(), after.isAlive(), isReached]).toEqual([false, true, true])
  })
})

describe('a life that stands still', () => {
  it('runs nothing until then, and then at once; the others go on', async () => {
    const kernel = open()
    const [a, b] = [kernel.createLife('a'), kernel.createLife('b')]
    const seen: string[] = []
    const note = (what: string) => () => seen.push(`${what} ${kernel.now() - start}`)
    a.stall(start + 100)
    a.scheduler.soon(note('a turn'))
    a.scheduler.after(20, note('a timer'))
    b.scheduler.after(30, note('b timer'))
    await kernel.play()
    expect(seen).toEqual(['b timer 30', 'a turn 100', 'a timer 100'])
  })

  it('is not shortened by a shorter stand-still', async () => {
    const kernel = open()
    const a = kernel.createLife('a')
    a.stall(start + 100)
    a.stall(start + 10)
    let at = 0
    a.scheduler.soon(() => {
      at = kernel.now()
    })
    await kernel.play()
    expect(at).toBe(start + 100)
  })
})

describe('a poll', () => {
  /** Polls every 100 ms, put off as told; the times of its looks. */
  function poller(purpose: Purpose, putOff: (poll: DuePoll, kernel: Kernel) => PutOff) {
    const looks: number[] = []
    const kernel: TestKernel = open({ putOff: (poll) => putOff(poll, kernel) })
    const life = kernel.createLife('poller')
    const look = (): void => {
      looks.push(kernel.now() - start)
      life.scheduler.after(100, look, purpose)
    }
    life.scheduler.after(100, look, purpose)
    return { kernel, looks }
  }

  it('looks at every interval while nothing puts it off', async () => {
    const { kernel, looks } = poller('poll', () => 'now')
    await kernel.play({ until: start + 450 })
    expect(looks).toEqual([100, 200, 300, 400])
  })

  it('says who would look, why, at which interval and at what time of its clock', async () => {
    const asked: DuePoll[] = []
    const kernel = open({
      skewOf: () => 7,
      putOff: (poll) => {
        asked.push(poll)
        return 'now'
      },
    })
    kernel.createLife('a').scheduler.after(100, () => undefined, 'watch')
    await kernel.play()
    expect(asked).toEqual([{ process: 'a', purpose: 'watch', interval: 100, now: start + 107 }])
  })

  it('put off to an instant looks when it would have looked last before it', async () => {
    const { kernel, looks } = poller('poll', ({ now }) => (now < start + 950 ? start + 950 : 'now'))
    await kernel.play({ until: start + 1_050 })
    expect(looks).toEqual([900, 1_000])
  })

  it('put off until a commit does not look, and leaves nothing to wait for', async () => {
    const { kernel, looks } = poller('poll', () => 'until_commit')
    expect(await kernel.play()).toBe('idle')
    expect(looks).toEqual([])
  })

  it('is woken by a commit at once when something is due', async () => {
    let isDue = false
    const { kernel, looks } = poller('poll', () => (isDue ? 'now' : 'until_commit'))
    kernel.createLife('other').scheduler.after(730, () => {
      isDue = true
      kernel.wakePolls()
    })
    await kernel.play({ until: start + 740 })
    expect(looks).toEqual([730])
  })

  it('that watches for commits is woken when it would have looked next', async () => {
    let hasCommitted = false
    const { kernel, looks } = poller('watch', () => (hasCommitted ? 'now' : 'until_commit'))
    kernel.createLife('other').scheduler.after(730, () => {
      hasCommitted = true
      kernel.wakePolls()
    })
    await kernel.play({ until: start + 950 })
    expect(looks).toEqual([800, 900])
  })

  it('woken for an earlier instant looks once, not once more at the later one', async () => {
    let due = start + 5_050
    const { kernel, looks } = poller('poll', (_, { now }) => (now() < due ? due : 'until_commit'))
    kernel.createLife('other').scheduler.after(410, () => {
      due = start + 650
      kernel.wakePolls()
    })
    await kernel.play()
    expect(looks).toEqual([600])
  })

  it('cancelled while it is put off never looks', async () => {
    const kernel = open({ putOff: ({ now }) => (now < start + 500 ? start + 500 : 'now') })
    const { scheduler } = kernel.createLife('a')
    let looks = 0
    const cancel = scheduler.after(100, () => (looks += 1), 'poll')
    scheduler.after(200, cancel)
    await kernel.play()
    expect(looks).toBe(0)
  })
})
