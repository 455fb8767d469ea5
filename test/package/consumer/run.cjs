const { createEngine, defineActivity } = require('stele')
const { simulate } = require('stele/simulation')
const { mermaidOf } = require('stele/inspector')
const { sqlite } = require('stele/sqlite')

async function main() {
  const double = defineActivity({ name: 'double' }, (amount) => amount * 2)
  const engine = await createEngine({ storage: ':memory:', functions: [double], logger: false })
  await engine.start()
  const handle = await engine.submit(double, 21)
  console.log(typeof sqlite, await handle.result({ timeout: '10s' }))
  await engine.stop()
  const { ok, report } = await simulate({ functions: [double] }, async (world) => {
    const simulated = await world.submit(double, 21)
    world.check('it doubles', (await simulated.result()) === 42)
  })
  if (!ok) console.log(report())
  if (typeof mermaidOf !== 'function') console.log('nothing can be drawn')
}

main()
