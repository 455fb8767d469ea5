import { expect, test } from 'vitest'
import { createLiveQueue } from '../../../../src/inspector/server/live-queue.ts'

/** A queue before a socket that takes so many texts until it is told to go on. */
function openQueue(max: number) {
  const sent: string[] = []
  let room = 0
  let goOn = (): void => undefined
  const queue = createLiveQueue(
    {
      isRoomy: () => sent.length < room,
      send: (text, onSent) => {
        sent.push(text)
        goOn = onSent
      },
    },
    max,
  )
  const read = (count: number): void => {
    room += count
    goOn()
  }
  return { queue, sent, read, setRoom: (count: number) => (room = count) }
}

test('what a socket can take is sent at once, in order', () => {
  const { queue, sent, setRoom } = openQueue(3)
  setRoom(10)
  for (const text of ['a', 'b', 'c', 'd']) queue.push(text)
  expect(sent).toEqual(['a', 'b', 'c', 'd'])
})

test('what it cannot take waits, and the oldest are dropped, with a marker that says how many', () => {
  const { queue, sent, read, setRoom } = openQueue(3)
  setRoom(1)
  for (const text of ['a', 'b', 'c', 'd', 'e', 'f']) queue.push(text)
  expect(sent).toEqual(['a'])
  read(10)
  expect(sent).toEqual(['a', '{"type":"dropped","count":2}', 'd', 'e', 'f'])
})

test('a socket that never reads costs no more than the limit', () => {
  const { queue, sent, setRoom } = openQueue(5)
  for (let count = 0; count < 100_000; count += 1) queue.push(String(count))
  expect(sent).toEqual([])
  setRoom(10)
  queue.push('last')
  expect(sent).toEqual([
    '{"type":"dropped","count":99996}',
    '99996',
    '99997',
    '99998',
    '99999',
    'last',
  ])
})
