import { createEngine, defineActivity, defineWorkflow } from 'stele'

const charge = defineActivity({ name: 'charge' }, (cents: number, { idempotencyKey }) => {
  console.log(`charge ${cents} under the key ${idempotencyKey}`)
  return `R-${cents}`
})
const ship = defineActivity({ name: 'ship', lockExpiry: '1s' }, (receipt: string, { attempt }) => {
  console.log(`ship what ${receipt} has paid for, attempt ${attempt}`)
  if (attempt === 1) process.kill(process.pid, 'SIGKILL') // the machine goes dark
  return { receipt, parcel: 'P-1' }
})
const order = defineWorkflow({ name: 'order' }, async (cents: number, { call, sleep }) => {
  const receipt = await call(charge, cents)
  await sleep('1 second') // or '30 days'
  return await call(ship, receipt)
})

const engine = await createEngine({ storage: 'shop.db', functions: [charge, ship, order] })
await engine.start()
const handle = await engine.submit(order, 1999, { id: 'order-1' })
console.log(await handle.result())
await engine.stop()
