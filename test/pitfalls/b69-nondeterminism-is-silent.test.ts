import { defineActivity, defineWorkflow, type OnNondeterminism, type WorkflowContext } from 'stele'
import { describe, expect, it } from 'vitest'
import { createGate, eventsOf, memories, pauseReason } from '../seed/workflow-test.ts'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import { createTestTime, openTestEngine, type TestEngine } from '../unit/client/test-engine.ts'

const double = defineActivity({ name: 'double' }, (input: number) => input * 2)
const approve = defineActivity<'approve', string, string, string>({ name: 'approve' }).stub()
const nap = defineWorkflow({ name: 'nap' }, (_: undefined, { sleep }) => sleep('1 day'))

type Code = (input: undefined, context: WorkflowContext) => unknown

/** The workflow with this code; a deploy gives it another one. */
function codes(onNondeterminism?: OnNondeterminism) {
  return (code: Code) => defineWorkflow({ name: 'main', onNondeterminism }, code)
}

const original: Code = async (_, { call, step, sleep, joinSet }) => {
  const one = await step('one', () => 1)
  const two = await step('two', () => 2)
  const three = await call(double, 3)
  const set = joinSet('set', { of: double })
  set.submit(double, 4)
  await sleep('1h')
  return [one, two, three, (await set.next()).value]
}

/** Other codes, and what is said of them. */
const changes: readonly (readonly [string, Code, string, string])[] = [
  [
    'two steps swapped',
    async (_, { step }) => {
      await step('two', () => 2)
      await step('one', () => 1)
    },
    'call 1 is step "one"',
    'call 1 is step "two"',
  ],
  [
    'a step left out',
    async (_, { step, call }) => {
      await step('one', () => 1)
      await call(double, 3)
    },
    'call 2 is step "two"',
    'call 2 opens join set o:1-double',
  ],
  [
    'another input',
    async (_, { step, call }) => {
      await step('one', () => 1)
      await step('two', () => 2)
      await call(double, 30)
    },
    'runs activity double(3)',
    'runs activity double(30)',
  ],
  [
    'another order of calls',
    async (_, { step, sleep }) => {
      await step('one', () => 1)
      await step('two', () => 2)
      await sleep('1h')
    },
    'opens join set o:1-double',
    'opens join set o:1-sleep',
  ],
  [
    'another duration',
    async (_, { step, sleep, call, joinSet }) => {
      await step('one', () => 1)
      await step('two', () => 2)
      await call(double, 3)
      joinSet('set', { of: double }).submit(double, 4)
      await sleep('2h')
    },
    '(in 3600000 ms)',
    '(in 7200000 ms)',
  ],
  [
    'an end that is too early',
    async (_, { step }) => step('one', () => 1),
    'call 2 is step "two"',
    'does nothing more',
  ],
  [
    'a foreign promise',
    async (_, { step }) => {
      await step('one', () => 1)
      await step('two', () => 2)
      await createGate().opened
    },
    'opens join set o:1-double',
    'does nothing more',
  ],
]

interface Deploys extends AsyncDisposable {
  readonly deploy: (code: Code) => Promise<TestEngine>
}

function openDeploys(onNondeterminism?: OnNondeterminism): Deploys {
  const folder = temporaryDirectory()
  const time = createTestTime()
  const make = codes(onNondeterminism)
  let running: TestEngine | undefined
  return {
    deploy: async (code) => {
      await running?.stop()
      const functions = [double, approve, nap, make(code)]
      running = await openTestEngine({ functions, file: folder.file('x.db'), time })
      return running
    },
    [Symbol.asyncDispose]: async () => {
      await running?.stop()
      folder[Symbol.dispose]()
    },
  }
}

describe('B69: code that no longer does what the log says', () => {
  it.each(changes)(
    'B69: %s: paused with version, expected, actual and a hint, and a fix lets it finish',
    async (_, changed, expected, actual) => {
      await using deploys = openDeploys()
      const first = await deploys.deploy(original)
      const { id } = await first.engine.submit(codes()(original), undefined, { id: 'm' })
      await first.advance(500)
      const second = await deploys.deploy(changed)
      const broken = await second.engine.get(id)
      second.clock.advance(3_600_000)
      await second.advance(500)
      const reason = await pauseReason(broken)
      expect(reason).toMatch(/^The code does not do what the log says at version \d+: expected /)
      expect(reason).toContain(expected)
      expect(reason).toContain(actual)
      expect(reason).toContain('then unpause')
      const version = Number(/at version (\d+)/.exec(reason)?.[1])
      const { events } = await broken.log()
      expect(events[version]?.type).toMatch(/^(step_finished|join_set_create|join_set_request)$/)
      expect(await broken.state()).toMatchObject({ paused: true, attempt: 1, reason })
      // Letting it go without a fix says the same again; it costs nothing else.
      await broken.unpause()
      await second.advance(500)
      expect(await pauseReason(broken)).toBe(reason)
      const third = await deploys.deploy(original)
      const fixed = await third.engine.get(id)
      await fixed.unpause()
      await third.advance(500)
      expect(await fixed.outcome({ timeout: 0 })).toEqual({ type: 'ok', value: [1, 2, 6, 8] })
      await third.check()
    },
  )

  it('B69: an end before a step that the log has', async () => {
    let isHanging = true
    const steps: Code = async (_, { step }) => {
      const one = await step('one', () => 1)
      const two = await step('two', () => 2)
      const gate = createGate<number>()
      return [one, two, await step('three', () => (isHanging ? gate.opened : 3))]
    }
    await using deploys = openDeploys()
    const first = await deploys.deploy(steps)
    await first.engine.submit(codes()(steps), undefined, { id: 'm' })
    await first.settle()
    const second = await deploys.deploy(async (_, { step }) => {
      const options = { timeout: '1h' } as const
      return [await step('one', () => 1, options)]
    })
    const handle = await second.engine.get('m')
    await second.advance(500)
    expect(await pauseReason(handle)).toContain('expected call 2 is step "two"')
    isHanging = false
    const third = await deploys.deploy(steps)
    const fixed = await third.engine.get('m')
    await fixed.unpause()
    await third.advance(500)
    expect(await fixed.outcome({ timeout: 0 })).toEqual({ type: 'ok', value: [1, 2, 3] })
  })

  it('B69: a mismatch is not seen by the code: neither its catch nor its finally runs', async () => {
    const ran: string[] = []
    await using deploys = openDeploys()
    const first = await deploys.deploy(original)
    await first.engine.submit(codes()(original), undefined, { id: 'm' })
    await first.settle()
    const second = await deploys.deploy(async (_, { step, joinSet }) => {
      try {
        await step('uno', () => 1)
      } catch {
        ran.push('catch')
      } finally {
        ran.push('finally')
      }
      try {
        joinSet('other')
      } catch {
        ran.push('catch')
      }
    })
    second.clock.advance(3_600_000)
    await second.advance(500)
    expect(await (await second.engine.get('m')).state()).toMatchObject({ paused: true })
    expect(ran).toEqual([])
  })

  it("B69: onNondeterminism 'fail': finished as nondeterminism_detected, and what is open is cancelled", async () => {
    const open: Code = async (_, { call, sleep, step, schedule, joinSet }) => {
      await step('one', () => 1)
      schedule(double, 1, { in: '2h' })
      joinSet('set', { of: nap }).submit(nap)
      void call(approve, 'x')
      await sleep('1h')
    }
    await using deploys = openDeploys('fail')
    const first = await deploys.deploy(open)
    await first.engine.submit(codes('fail')(open), undefined, { id: 'm' })
    await first.settle()
    const second = await deploys.deploy(async (_, { step }) => {
      await step('uno', () => 1)
    })
    second.clock.advance(3_600_000)
    await second.advance(1_000)
    const handle = await second.engine.get('m')
    expect(await handle.outcome({ timeout: 0 })).toMatchObject({
      type: 'execution_failure',
      kind: 'nondeterminism_detected',
      detail: expect.stringContaining('call 1 is step "one"'),
    })
    const { children } = await handle.tree()
    expect(children.map(({ execution }) => execution.failureKind)).toEqual([
      'cancelled',
      'cancelled',
    ])
    // What was scheduled is nobody's child.
    const [scheduled] = await eventsOf(handle, 'schedule')
    const other = await second.engine.get(scheduled?.executionId ?? '')
    expect(await other.state()).toMatchObject({ status: 'pending_at' })
    await second.check()
  })

  it('B69: a call that is added behind `patched` is no mismatch, in old runs and in new ones', async () => {
    await using deploys = openDeploys()
    const first = await deploys.deploy(original)
    await first.engine.submit(codes()(original), undefined, { id: 'old' })
    await first.settle()
    const patchedCode: Code = async (input, context) => {
      if (context.patched('more')) await context.call(double, 100)
      return original(input, context)
    }
    const second = await deploys.deploy(patchedCode)
    await second.engine.submit(codes()(patchedCode), undefined, { id: 'new' })
    await second.advance(1_000)
    second.clock.advance(3_600_000)
    await second.advance(500)
    for (const id of ['old', 'new']) {
      const handle = await second.engine.get(id)
      expect(await handle.outcome({ timeout: 0 })).toEqual({ type: 'ok', value: [1, 2, 6, 8] })
      expect(await eventsOf(handle, 'patched')).toHaveLength(id === 'new' ? 1 : 0)
    }
    await second.check()
  })
})

describe.each(memories)('B69, $memory', ({ limits }) => {
  it('B69: a foreign promise is told in so many words, not shown as waiting', async () => {
    const gate = createGate()
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { sleep }) => {
      await gate.opened
      await sleep('1s')
    })
    await using world = await openTestEngine({ functions: [main], limits })
    const handle = await world.engine.submit(main)
    await world.settle()
    expect(await pauseReason(handle)).toContain('waits for a promise that is not of Stele')
    gate.open()
    await world.settle()
    await handle.unpause()
    await world.advance(1_100)
    expect(await handle.state()).toMatchObject({ status: 'finished', outcome: { type: 'ok' } })
    await world.check()
  })
})
