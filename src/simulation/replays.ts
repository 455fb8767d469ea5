/** At the end of a simulation: does the code of each workflow say again what its log says? */

import { isSteleError } from '../base/error.ts'
import { checkReplay } from '../client/check-replay.ts'
import type { Engine } from '../client/create-engine.ts'
import type { AnyFunction } from '../workers/function-ref.ts'
import type { Violation } from './checker.ts'
import type { SimulationSettings } from './options.ts'

/** What replays are made of. */
export type ReplaySettings = Pick<SimulationSettings, 'functions' | 'engines'>

/** A violation for each workflow whose code and log have parted. */
export async function findPartedReplays(
  client: Engine,
  settings: ReplaySettings,
): Promise<readonly Violation[]> {
  const violations: Violation[] = []
  for (const workflow of settings.functions.filter(({ kind }) => kind === 'workflow')) {
    for (const id of await listIds(client, workflow)) {
      const violation = await replayOne(client, id, { workflow, settings })
      if (violation !== undefined) violations.push(violation)
    }
  }
  return violations
}

async function listIds(client: Engine, workflow: AnyFunction): Promise<readonly string[]> {
  const ids: string[] = []
  let after: string | undefined
  do {
    const { items, next } = await client.list({ function: workflow, children: true }, { after })
    ids.push(...items.map(({ id }) => id))
    after = next
  } while (after !== undefined)
  return ids
}

async function replayOne(
  client: Engine,
  id: string,
  { workflow, settings }: { readonly workflow: AnyFunction; readonly settings: ReplaySettings },
): Promise<Violation | undefined> {
  const log = await (await client.get(id)).log()
  const { functions, engines } = settings
  try {
    await checkReplay(workflow, log, { functions, codec: engines.codec })
    return undefined
  } catch (error) {
    if (!isSteleError(error)) throw error
    return { invariant: 'a replay does what the log says', message: `${id}: ${error.message}` }
  }
}
