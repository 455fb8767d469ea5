import { defineActivity } from 'stele'
import { expect, it } from 'vitest'
import { openTestEngine } from '../unit/client/test-engine.ts'

it('B8: a result that cannot be stored ends the execution, and the path is named', async () => {
  const connect = defineActivity({ name: 'connect' }, () => ({
    servers: [{ name: 'a' }, { name: 'b', socket: () => undefined }],
  }))
  await using world = await openTestEngine({ functions: [connect] })
  const handle = await world.engine.submit(connect)
  await world.settle()
  expect(await handle.outcome({ timeout: 0 })).toMatchObject({
    type: 'execution_failure',
    kind: 'uncategorized',
    reason: expect.stringContaining('result.servers[1].socket cannot be stored'),
  })
  await world.check()
})
