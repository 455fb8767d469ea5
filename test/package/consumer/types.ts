import { createEngine, defineActivity } from 'stele'
import { simulate } from 'stele/simulation'
import { sqlite } from 'stele/sqlite'

const double = defineActivity({ name: 'double' }, (amount: number) => amount * 2)

export async function run(): Promise<number> {
  const engine = await createEngine({ storage: ':memory:', functions: [double] })
  // @ts-expect-error: the input is a number
  await engine.submit(double, 'twenty-one')
  const handle = await engine.submit(double, 21)
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
