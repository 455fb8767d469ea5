import { createEngine, defineActivity } from 'stele'
import { inspector } from 'stele/inspector'
import { simulate } from 'stele/simulation'
import { sqlite } from 'stele/sqlite'

const double = defineActivity({ name: 'double' }, (amount) => amount * 2)
let frames = 0
const inspect = inspector({ onFrame: () => frames++ })
const options = { storage: ':memory:', functions: [double], logger: false, inspect }
const engine = await createEngine(options)
await engine.start()
const handle = await engine.submit(double, 21)
console.log(typeof sqlite, await handle.result({ timeout: '10s' }))
await engine.stop()
const { ok, report } = await simulate({ functions: [double] }, async (world) => {
  const simulated = await world.submit(double, 21)
  world.check('it doubles', (await simulated.result()) === 42)
})
if (!ok) console.log(report())
if (frames === 0) console.log('nothing was seen')
