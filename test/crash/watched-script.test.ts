/** A real process that is watched, and has finished, ends: whatever has become of its relay. */

import { execFile } from 'node:child_process'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { freePort, openRelay } from '../support/relay.ts'

const execute = promisify(execFile)
const script = fileURLToPath(new URL('watched.mjs', import.meta.url))
/** Far more than any of them needs; the process is killed then, and the test fails. */
const patience = 20_000

/** Milliseconds that the script took to end by itself. */
async function run(url: string, end = ''): Promise<number> {
  const begun = Date.now()
  const { stdout } = await execute(process.execPath, [script, url, end], { timeout: patience })
  expect(stdout).toBe('Hello, Ann\n')
  return Date.now() - begun
}

it('ends: nobody listens at the address of its relay', async () => {
  const took = await run(`ws://127.0.0.1:${await freePort()}`)
  console.log(`watched script, no relay: ended after ${took} ms`)
  expect(took).toBeLessThan(5_000)
})

it('ends: its relay takes the connection and says nothing', async () => {
  const server = createServer(() => undefined)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const took = await run(`ws://127.0.0.1:${port}`)
  server.close()
  console.log(`watched script, silent relay: ended after ${took} ms`)
  expect(took).toBeLessThan(8_000)
})

it('ends: its relay listens, and the script did not say goodbye', async () => {
  await using relay = await openRelay()
  const took = await run(relay.url)
  console.log(`watched script, relay: ended after ${took} ms`)
  expect(took).toBeLessThan(5_000)
})

it('close: everything has arrived when it ends', async () => {
  await using relay = await openRelay()
  await run(relay.url, 'close')
  const states = relay.received.flatMap((text) => /"value":("\w+"|\{[^}]*\})/.exec(text)?.[1] ?? [])
  expect(states).toContain('"finished"')
  expect(states.at(-1)).toBe('"closed"')
})

it('close: gives up in time when nobody listens', async () => {
  const took = await run(`ws://127.0.0.1:${await freePort()}`, 'close')
  expect(took).toBeGreaterThan(1_900)
  expect(took).toBeLessThan(8_000)
})
