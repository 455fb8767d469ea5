/** A short script that is watched through the relay it is given, and does not say goodbye to it. */
import { createEngine, defineActivity } from 'stele'
import { inspector } from 'stele/inspector'

const greet = defineActivity({ name: 'greet' }, (name) => `Hello, ${name}`)
const inspect = inspector({ url: process.argv[2] })
const engine = await createEngine({ storage: ':memory:', functions: [greet], inspect })
await engine.start()
const handle = await engine.submit(greet, 'Ann')
console.log(await handle.result())
await engine.stop()
if (process.argv[3] === 'close') await inspect.close()
