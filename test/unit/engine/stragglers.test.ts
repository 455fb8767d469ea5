/** Who goes on after the end is counted, whatever becomes of it. */

import { expect, it } from 'vitest'
import { createStragglers } from '../../../src/engine/stragglers.ts'

/** A handler that a test ends when it likes. */
function openEnd() {
  let resolve: () => void = () => undefined
  let reject: (cause: Error) => void = () => undefined
  const end = new Promise<void>((onEnd, onFault) => {
    resolve = onEnd
    reject = onFault
  })
  return { end, resolve: () => resolve(), reject: (cause: Error) => reject(cause) }
}

it('watch: counts until the handler ends, by a value or by a fault', async () => {
  const stragglers = createStragglers({ max: 9, onRelief: () => expect.unreachable() })
  const [one, other] = [openEnd(), openEnd()]
  stragglers.watch(one.end)
  stragglers.watch(other.end)
  expect(stragglers.count()).toBe(2)
  one.resolve()
  await expect.poll(stragglers.count).toBe(1)
  other.reject(new Error('late'))
  await expect.poll(stragglers.count).toBe(0)
})

it('relief: is told when one of too many ends, and at no other end', async () => {
  let reliefs = 0
  const stragglers = createStragglers({
    max: 2,
    onRelief: () => {
      reliefs += 1
    },
  })
  const [one, other] = [openEnd(), openEnd()]
  stragglers.watch(one.end)
  expect(stragglers.areTooMany()).toBe(false)
  stragglers.watch(other.end)
  expect(stragglers.areTooMany()).toBe(true)
  one.resolve()
  await expect.poll(stragglers.areTooMany).toBe(false)
  expect(reliefs).toBe(1)
  other.resolve()
  await expect.poll(stragglers.count).toBe(0)
  expect(reliefs).toBe(1)
})
