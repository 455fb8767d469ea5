/** A client without an engine: over a file of others, and without touching it. */

import { createEngine, defineActivity } from 'stele'
import { expect, test } from 'vitest'
import { createClient } from '../../../src/client/client.ts'
import { openClient } from '../../../src/client/open-client.ts'
import { testEnvironment } from '../../support/storage/opened-storage.ts'
import { temporaryDirectory } from '../../support/storage/temporary-directory.ts'

const echo = defineActivity({ name: 'echo' }, (input: string) => input)

test('lists and finds what an engine has written, and refuses to write', async () => {
  using folder = temporaryDirectory()
  const file = folder.file('app.db')
  await using engine = await createEngine({ storage: file, functions: [echo], logger: false })
  await engine.submit(echo, 'x', { id: 'one' })
  const opened = await openClient({ storage: file, readOnly: true, ...testEnvironment() })
  const client = createClient(opened.context)
  expect((await client.list()).items.map(({ id }) => id)).toEqual(['one'])
  const handle = await client.get('one')
  await expect(handle.pause()).rejects.toMatchObject({ code: 'storage_read_only' })
  await opened.close()
  await expect(client.list()).rejects.toMatchObject({ code: 'engine_stopped' })
})

test('opened for writing it may do what clients do', async () => {
  using folder = temporaryDirectory()
  const file = folder.file('app.db')
  const opened = await openClient({ storage: file, readOnly: false, ...testEnvironment() })
  const client = createClient(opened.context)
  const handle = await client.submit(echo, 'x', { id: 'one' })
  expect(await handle.state()).toMatchObject({ status: 'pending_at' })
  await opened.close()
})
