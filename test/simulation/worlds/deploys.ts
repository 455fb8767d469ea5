/**
 * A world of deployments: code changes under workflows that run, compatibly and not, while stubs are
 * completed by hand and rows are spoiled. Whoever does not fit the new code waits, and says so.
 */

import { defineActivity, defineWorkflow, type Handle } from 'stele'
import { type ExploreOptions, simulated, type World } from 'stele/simulation'

const lockExpiry = '2s'
const part = defineActivity({ name: 'part', lockExpiry }, (input: number) => input)
const approval = defineActivity<'approval', number, number, string>({ name: 'approval' }).stub()

const first = defineWorkflow(
  { name: 'job', version: '1', lockExpiry },
  async (input: number, { call, sleep, joinSet }) => {
    const parts = joinSet('parts', { of: part, onFailure: 'cancel' })
    for (let index = 0; index < 3; index += 1) parts.submit(part, input + index)
    await sleep('1 hour')
    const said = await call(approval, input)
    return `${said} ${await call(part, input)}`
  },
)

/** The same calls in the same order: an upgrade. */
const compatible = defineWorkflow(
  { name: 'job', version: '2', lockExpiry },
  async (input: number, { call, sleep, joinSet, patched }) => {
    const parts = joinSet('parts', { of: part, onFailure: 'cancel' })
    for (let index = 0; index < 3; index += 1) parts.submit(part, input + index)
    await sleep('1 hour')
    const said = await call(approval, input)
    if (patched('twice')) await call(part, input)
    return `${said} ${await call(part, input)}`
  },
)

/** Other calls: whoever has begun under another version does not fit. */
const incompatible = defineWorkflow(
  { name: 'job', version: '3', lockExpiry },
  async (input: number, { call }) => `${await call(approval, input)} ${await call(part, input)}`,
)

const versions = [first, compatible, incompatible] as const

/** Options of this world. */
export const deploys: Omit<ExploreOptions, 'faults' | 'seed'> = {
  functions: [part, approval, first],
  activities: {
    part: simulated<number, number>({
      ok: (input, { idempotencyKey }, { ledger }) => {
        ledger.record('part', idempotencyKey)
        return input
      },
      fail: 0.1,
      delay: ['1ms', '3s'],
    }),
  },
  engines: { count: [1, 3], executor: { concurrency: 5 } },
  marks: ['deployed', 'waits for its version', 'a row was spoiled', 'all jobs ended'],
  limits: { chaosSteps: 4_000 },
}

/** The application. */
export async function runDeploys(w: World): Promise<void> {
  const handles: Handle<string>[] = []
  for (let index = 0; index < 2 + w.choose('count', 3); index += 1) {
    handles.push(await w.submit(first, index, { id: `job-${index}` }))
    await w.advance(`${1 + w.choose('pause', 5) * 700}ms`)
  }
  await maybeDeploy(w)
  const spoiled = w.choose('spoil', 6) === 5 ? handles[1] : undefined
  if (spoiled !== undefined) w.spoil(spoiled.id)
  w.sometimes('a row was spoiled', spoiled !== undefined)
  await w.advance('2 hours')
  for (const handle of handles) if (handle !== spoiled) await approve(w, handle)
  await maybeDeploy(w)
  await w.advance('1 hour')
  let ended = 0
  for (const handle of handles) if (handle !== spoiled && (await hasEnded(w, handle))) ended += 1
  w.sometimes('all jobs ended', ended === handles.length)
}

async function maybeDeploy(w: World): Promise<void> {
  const which = w.choose('deploy', 4)
  const workflow = versions[which]
  if (which === 0 || workflow === undefined) return
  w.sometimes('deployed', true)
  w.deploy([part, approval, workflow])
  for (const engine of w.engines) {
    if (w.choose('how', 2) === 0) await w.stop(engine)
    else w.crash(engine)
  }
  await w.advance('10s')
}

async function approve(w: World, handle: Handle<string>): Promise<void> {
  const page = await w.list({ function: 'approval', children: true }, { limit: 100 })
  const stub = page.items.find(({ id }) => id.startsWith(`${handle.id}.`))
  if (stub !== undefined && stub.status !== 'finished') {
    await w.complete(stub.id, { type: 'ok', value: 'yes' })
  }
}

/** Ended, or waiting for something that only people can give. */
async function hasEnded(w: World, handle: Handle<string>): Promise<boolean> {
  const state = await handle.state()
  if (state.status === 'finished') return true
  const { summary, problems } = await handle.explain()
  w.sometimes('waits for its version', problems.length > 0)
  const waits = state.paused || state.status === 'blocked' || problems.length > 0
  w.check('whoever has not ended says why', waits, `${handle.id}: ${summary}`)
  return false
}
