import { type AnyFunction, functionRef } from 'stele'
import { expect, it } from 'vitest'
import { checkInvariants } from '../support/storage/check-invariants.ts'
import { openCrashSite, until } from './workers.ts'

it('B15: an activity whose process is killed under it is run again, and the attempt is counted', async () => {
  await using site = await openCrashSite()
  const ref = functionRef<AnyFunction>('stuck-once')
  const handle = await site.client.submit(ref, 21 as never)
  const first = await site.startWorker()
  await until(() => site.ledger().length > 0)
  await first.kill()
  const second = await site.startWorker()
  expect(await handle.result({ timeout: '10s' })).toBe(42)
  const step = { executionId: handle.id }
  expect(site.ledger()).toEqual([
    { ...step, kind: 'begin', attempt: 1, pid: first.pid },
    { ...step, kind: 'begin', attempt: 2, pid: second.pid },
    { ...step, kind: 'end', attempt: 2, pid: second.pid },
  ])
  expect(await handle.state()).toMatchObject({ status: 'finished', attempt: 2 })
  const { events } = await handle.log()
  const types = events.map(({ type }) => type)
  expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
    'created',
    'locked',
    'temporarily_timed_out',
    'locked',
    'finished',
  ])
  const storage = await site.openStorage()
  await checkInvariants(storage)
  await storage.close()
})
