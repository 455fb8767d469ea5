import { createEngine, defineActivity } from 'stele'
import { inspector } from 'stele/inspector'
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
if (frames === 0) console.log('nothing was seen')
