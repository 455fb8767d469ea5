import { createEngine, defineActivity } from 'stele'
import { sqlite } from 'stele/sqlite'

const double = defineActivity({ name: 'double' }, (amount: number) => amount * 2)

export async function run(): Promise<number> {
  const engine = await createEngine({ storage: ':memory:', functions: [double] })
  // @ts-expect-error: the input is a number
  await engine.submit(double, 'twenty-one')
  const handle = await engine.submit(double, 21)
  return await handle.result()
}

export const face: (...options: never[]) => object = sqlite
