import { describe, expect, it } from 'vitest'
import { settled } from '../../../../src/workers/workflow/settled.ts'
import { eventLoopTurn } from '../../../support/test-time.ts'
import { unhandledWhile } from '../../client/test-engine.ts'

/** What a recorder says that goes on, or cannot. */
function recorder(isFaulty: boolean) {
  const fault = { type: 'foreign', reason: 'no' } as const
  return { fault: () => (isFaulty ? fault : undefined) } as never
}

describe('settled', () => {
  it('promise: settles as it is told', async () => {
    await expect(settled(recorder(false), (resolve) => resolve(5))).resolves.toBe(5)
    await expect(settled(recorder(false), (_, reject) => reject('no'))).rejects.toBe('no')
  })

  it('promise: what is thrown while it is made rejects it', async () => {
    const refused = settled(recorder(false), () => {
      throw new TypeError('no')
    })
    await expect(refused).rejects.toThrow(TypeError)
  })

  it('promise: of a run that is given up never settles', async () => {
    const seen: string[] = []
    const promise = settled(recorder(true), (resolve) => resolve('value'))
    promise.then(
      () => seen.push('resolved'),
      () => seen.push('rejected'),
    )
    await eventLoopTurn()
    expect(seen).toEqual([])
  })

  it('promise: a rejection that the code never looks at is nobody’s fault', async () => {
    const unhandled = await unhandledWhile(async () => {
      void settled(recorder(false), (_, reject) => reject(new Error('left alone')))
      await eventLoopTurn()
    })
    expect(unhandled).toEqual([])
  })
})
