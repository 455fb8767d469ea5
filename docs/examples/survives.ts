import { createEngine, defineActivity } from 'stele'

const charge = defineActivity(
  { name: 'charge', lockExpiry: '1s' },
  async (cents: number, { attempt, idempotencyKey }) => {
    console.log(`attempt ${attempt}: charge ${cents} under the key ${idempotencyKey}`)
    if (attempt === 1) process.kill(process.pid, 'SIGKILL') // the machine goes dark
    return { receipt: `R-${cents}` }
  },
)

const engine = await createEngine({ storage: 'shop.db', functions: [charge] })
await engine.start()
const handle = await engine.submit(charge, 1999, { id: 'order-1' })
console.log(await handle.result())

const { events } = await handle.log()
console.log(events.map((event) => event.type).join(' → '))
await engine.stop()
