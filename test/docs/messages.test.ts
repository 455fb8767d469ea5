/** The messages that the list of errors shows are those that the code makes. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import {
  createEngine,
  defineActivity,
  defineWorkflow,
  type Engine,
  isSteleError,
  PermanentError,
  unchecked,
} from 'stele'
import { chartOf } from 'stele/inspector'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fencesOf } from './page.ts'
import { read } from './section.ts'

const charge = defineActivity({ name: 'charge' }, (_cents: number) => {
  throw new PermanentError('the bank is down')
})
const ship = defineActivity({ name: 'ship' }, (_parcel: string) => 1)
const approval = defineActivity({ name: 'approval' }).stub()
const approve = defineWorkflow(
  { name: 'approve', messages: { decision: unchecked<string>() } },
  (_: undefined, { messages }) => messages.decision.next(),
)
const functions = [charge, ship, approval, approve]
const folder = mkdtempSync(join(tmpdir(), 'stele-messages-'))

let engine: Engine

beforeAll(async () => {
  engine = await createEngine({
    storage: ':memory:',
    functions,
    limits: { valueBytes: 100 },
  })
  await engine.submit(charge, 1, { id: 'order-1' })
  await engine.submit(approval, undefined, { id: 'approval-1' })
  await engine.complete('approval-1', { type: 'ok', value: undefined })
})

afterAll(async () => {
  await engine.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** How to meet each error whose message is shown. Run in this order; the last ones end things. */
const provocations: Readonly<Record<string, () => Promise<unknown>>> = {
  result_timeout: async () => (await engine.get('order-1')).result({ timeout: 20 }),
  execution_not_found: () => engine.get('order-2'),
  delay_not_found: () => engine.delay('Delay_order-1.n:sleep_1').cancel(),
  execution_id_conflict: () => engine.submit(charge, 2, { id: 'order-1' }),
  already_finished: () => engine.complete('approval-1', { type: 'err', value: 1 }),
  illegal_state: async () => (await engine.get('order-1')).unpause(),
  unknown_function: () => engine.get('order-1', ship),
  unknown_channel: async () => {
    const handle = await engine.submit(approve, undefined, { id: 'order-3' })
    await handle.send('refusal' as 'decision', 'no')
  },
  value_too_large: () => engine.submit(ship, 'a'.repeat(118)),
  invalid_machine: async () => {
    const states = { paying: { on: { PAID: 'payed' } } }
    return chartOf({ id: 'order', initial: 'paying', states })
  },
  invalid_option: () => createEngine({ storage: ':memory:', executor: { batchSize: 501 } }),
  storage_corrupt: async () => {
    new Database(join(folder, 'other.db')).exec('CREATE TABLE theirs (id)').close()
    return createEngine({ storage: join(folder, 'other.db') })
  },
  execution_failed: async () => {
    await engine.start()
    return (await engine.get('order-1')).result()
  },
  engine_stopped: async () => {
    await engine.stop()
    return engine.get('order-1')
  },
}

/** Code → the message that the page shows. */
function shownMessages(): ReadonlyMap<string, string> {
  const entries = read('docs/reference/errors.md').split(/^## /m).slice(1)
  return new Map(
    entries.flatMap((entry): [string, string][] => {
      const message = fencesOf(entry).find(({ info }) => info === 'text')
      return message === undefined ? [] : [[entry.split('\n', 1)[0] ?? '', message.text.trim()]]
    }),
  )
}

describe('messages of errors', () => {
  const shown = shownMessages()

  test('each that is shown is provoked', () => {
    expect(Object.keys(provocations).toSorted()).toEqual([...shown.keys()].toSorted())
  })

  test.each(Object.entries(provocations))('%s', async (code, provoke) => {
    const error: unknown = await provoke().catch((cause: unknown) => cause)
    expect(isSteleError(error, code as Parameters<typeof isSteleError>[1])).toBe(true)
    const message = error instanceof Error ? error.message.replace(`${folder}/`, '') : ''
    expect(message).toBe(shown.get(code))
  })
})
