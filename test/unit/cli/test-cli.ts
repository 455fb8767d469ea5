/** The command line in a test: streams that are kept, time that stands still, a small shop. */

import { defineActivity, defineWorkflow, err, unchecked } from 'stele'
import { createRandom } from '../../../src/base/random.ts'
import { runCli } from '../../../src/cli/run-cli.ts'
import type { TextStream, World } from '../../../src/cli/world.ts'
import { temporaryDirectory } from '../../support/storage/temporary-directory.ts'
import { createTestTime, openTestEngine, type TestTime } from '../client/test-engine.ts'

/** What a command has said. */
export interface Said {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** How the world of a test is. */
export interface TestWorldOptions {
  readonly time?: TestTime
  readonly env?: World['env']
  /** Width of the terminal; without it there is none. */
  readonly columns?: number
  readonly input?: string
}

/** A world whose streams are kept. */
export interface TestWorld extends World {
  readonly time: TestTime
  readonly said: () => Omit<Said, 'code'>
  /** Presses Ctrl-C. */
  readonly interrupt: () => void
  readonly opened: readonly string[]
}

/** A world. */
export function testWorld(options: TestWorldOptions = {}): TestWorld {
  const { time = createTestTime(), env = {}, columns, input = '' } = options
  const out = keepingStream(columns)
  const problems = keepingStream(columns)
  const listeners = new Set<() => void>()
  const opened: string[] = []
  return {
    time,
    clock: time.clock,
    scheduler: time.scheduler,
    random: createRandom(1),
    out,
    err: problems,
    env,
    readInput: () => Promise.resolve(input),
    onInterrupt: (listener) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    openPage: (url) => {
      opened.push(url)
    },
    opened,
    said: () => ({ out: out.text(), err: problems.text() }),
    interrupt: () => {
      for (const listener of listeners) listener()
    },
  }
}

interface KeepingStream extends TextStream {
  readonly text: () => string
}

function keepingStream(columns: number | undefined): KeepingStream {
  let text = ''
  return {
    isTerminal: columns !== undefined,
    columns,
    write: (written) => {
      text += written
    },
    text: () => text,
  }
}

/** Runs a command in a world of its own. */
export async function run(args: readonly string[], options: TestWorldOptions = {}): Promise<Said> {
  const world = testWorld(options)
  const code = await runCli(args, world, '1.2.3')
  return { code, ...world.said() }
}

/** A database with executions in several states, and nobody who works on it. */
export interface Shop extends Disposable {
  readonly file: string
  readonly time: TestTime
  /** Runs a command at the time of the shop. */
  readonly stele: (...args: readonly string[]) => Promise<Said>
}

/** Asks the bank; what costs more than 1,000 is refused. */
export const charge = defineActivity({ name: 'charge' }, (cents: number, { log }) => {
  log.info('asking the bank', { cents })
  return cents > 1_000 ? err({ code: 'too_dear' }, { permanent: true }) : { receipt: `R-${cents}` }
})
const approval = defineActivity({ name: 'approval', input: unchecked<number>() }).stub()
const order = defineWorkflow(
  { name: 'order', messages: { approve: unchecked<string>() } },
  async (cents: number, { call, messages, step }) => {
    await step('price', () => cents + 1)
    const receipt = await call(charge, cents)
    return { receipt, by: await messages.approve.next() }
  },
)
const functions = [charge, approval, order]

/**
 * A shop: `paid` and `dear` have finished, `waiting` waits for a message and has a child, `asked`
 * is a stub, `later` is due in an hour, `held` is paused.
 */
export async function openShop(options: { readonly sourceLines?: boolean } = {}): Promise<Shop> {
  const directory = temporaryDirectory()
  const file = directory.file('shop.db')
  const time = createTestTime()
  time.clock.set(Date.UTC(2026, 2, 1, 8, 30))
  const opened = await openTestEngine({ file, time, functions, ...options })
  const { engine } = opened
  await engine.submit(charge, 700, { id: 'paid' })
  await engine.submit(charge, 7_000, { id: 'dear' })
  await engine.submit(order, 500, { id: 'waiting' })
  await time.advance(3_000)
  await engine.submit(approval, 5, { id: 'asked' })
  await engine.submit(charge, 1, { id: 'later', delay: '1 hour' })
  await engine.submit(charge, 2, { id: 'held', paused: true })
  await time.advance(1_000)
  await opened.stop()
  return {
    file,
    time,
    stele: (...args) => run(args, { time }),
    [Symbol.dispose]: () => {
      directory[Symbol.dispose]()
    },
  }
}

/** An engine that goes on with a shop. */
export function reopenShop({ file, time }: Shop): ReturnType<typeof openTestEngine> {
  return openTestEngine({ file, time, functions })
}
