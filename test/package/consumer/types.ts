import { createEngine, defineActivity } from 'stele'
import { inspectExecution, inspector, svgOf } from 'stele/inspector'
import { simulate } from 'stele/simulation'
import { sqlite } from 'stele/sqlite'

const double = defineActivity({ name: 'double' }, (amount: number) => amount * 2)

const seen = inspector({ onFrame: ({ sessionId }) => sessionId })

export async function run(): Promise<number> {
  const engine = await createEngine({ storage: ':memory:', functions: [double], inspect: seen })
  // @ts-expect-error: the input is a number
  await engine.submit(double, 'twenty-one')
  const handle = await engine.submit(double, 21)
  await inspectExecution(engine, handle.id, seen)
  return await handle.result()
}

export async function runSimulated(): Promise<boolean> {
  const { ok } = await simulate({ functions: [double] }, async (world) => {
    // @ts-expect-error: the input is a number
    await world.submit(double, 'twenty-one')
    const handle = await world.submit(double, 21)
    const doubled: number = await handle.result()
    world.check('it doubles', doubled === 42)
  })
  return ok
}

export const face: (...options: never[]) => object = sqlite
export const faces: readonly ((...options: never[]) => object | string)[] = [sqlite, svgOf]
