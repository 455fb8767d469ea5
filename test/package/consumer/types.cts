import stele = require('stele')
import watching = require('stele/inspector')
import face = require('stele/sqlite')

const double = stele.defineActivity({ name: 'double' }, (amount: number) => amount * 2)

export async function run(): Promise<number> {
  const engine = await stele.createEngine({ storage: ':memory:', functions: [double] })
  // @ts-expect-error: the input is a number
  await engine.submit(double, 'twenty-one')
  const handle = await engine.submit(double, 21)
  return await handle.result()
}

export const draw: (...options: never[]) => string = watching.mermaidOf
export const open: (...options: never[]) => object = face.sqlite
