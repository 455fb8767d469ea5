/** Losing power: whatever part of the WAL is lost behind an acknowledged commit, the commit stays. */

import { copyFileSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEngine, defineActivity } from 'stele'
import { afterEach, beforeEach, expect, it } from 'vitest'

const noop = defineActivity({ name: 'noop' }, (input: number) => input)

/** Executions that are submitted, one commit each. */
const submissions = 12
/** Cuts tried behind each acknowledgement, spread over what follows. */
const cutsPerSubmission = 10

let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stele-wal-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** Ids whose submission was acknowledged, with the length that the WAL had then. */
async function submitAll(file: string): Promise<readonly { id: string; walBytes: number }[]> {
  const engine = await createEngine({ storage: file, logger: false })
  const acknowledged: { id: string; walBytes: number }[] = []
  for (let input = 0; input < submissions; input += 1) {
    const { id } = await engine.submit(noop, input)
    acknowledged.push({ id, walBytes: statSync(`${file}-wal`).size })
  }
  // Copied while the engine holds it: as a machine that loses power would leave it.
  for (const suffix of ['', '-wal']) copyFileSync(file + suffix, `${file}.lost${suffix}`)
  await engine.stop()
  return acknowledged
}

/** Ids that are found when the WAL ends at `walBytes`. */
async function idsAfterCut(file: string, walBytes: number): Promise<readonly string[]> {
  const cut = join(folder, 'cut.db')
  for (const suffix of ['', '-wal', '-shm']) rmSync(cut + suffix, { force: true })
  copyFileSync(`${file}.lost`, cut)
  copyFileSync(`${file}.lost-wal`, `${cut}-wal`)
  truncateSync(`${cut}-wal`, walBytes)
  const engine = await createEngine({ storage: cut, logger: false })
  const { items } = await engine.list({}, { limit: submissions })
  await engine.stop()
  return items.map(({ id }) => id)
}

it('FULL: an acknowledged submit survives a cut of the WAL at any later byte', async () => {
  const file = join(folder, 'app.db')
  const acknowledged = await submitAll(file)
  const end = acknowledged.at(-1)?.walBytes ?? 0
  expect(end).toBeGreaterThan(0)
  for (const [index, { walBytes }] of acknowledged.entries()) {
    const expected = acknowledged.slice(0, index + 1).map(({ id }) => id)
    const step = Math.max(1, Math.floor((end - walBytes) / cutsPerSubmission))
    for (let cut = walBytes; cut <= end; cut += step) {
      expect(await idsAfterCut(file, cut)).toEqual(expect.arrayContaining([...expected]))
    }
  }
})

it('FULL: a cut before the commit of a submit loses it whole, and nothing before it', async () => {
  const file = join(folder, 'app.db')
  const acknowledged = await submitAll(file)
  const [before, lost] = acknowledged.slice(-2)
  const ids = await idsAfterCut(file, (lost?.walBytes ?? 0) - 1)
  expect(ids).toContain(before?.id)
  expect(ids).not.toContain(lost?.id)
})
