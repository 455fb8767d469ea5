import { createEngine, defineActivity } from 'stele'
import { inspectExecution, inspector, svgOf } from 'stele/inspector'
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

export const faces: readonly ((...options: never[]) => object | string)[] = [sqlite, svgOf]
