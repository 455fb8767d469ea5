/** The bar. */
import { expect, test } from 'vitest'
import { createProgress } from '../../../src/cli/progress.ts'
import { testWorld } from './test-cli.ts'

test('shows itself to a person when the work takes a while, and goes away', () => {
  const world = testWorld({ columns: 80 })
  const progress = createProgress(world)
  progress.show('events', 1, 4)
  expect(world.said().err).toBe('')
  world.time.clock.advance(400)
  progress.show('events', 2, 4)
  expect(world.said().err).toContain(`${'█'.repeat(12)}${'░'.repeat(12)}  50 %  events`)
  progress.end()
  expect(world.said().err.endsWith('\r\u001B[K')).toBe(true)
})

test('is drawn seldom', () => {
  const world = testWorld({ columns: 80 })
  const progress = createProgress(world)
  world.time.clock.advance(400)
  progress.show('events', 1, 4)
  const once = world.said().err
  progress.show('events', 2, 4)
  expect(world.said().err).toBe(once)
})

test('nobody sees it in a pipe', () => {
  const world = testWorld()
  const progress = createProgress(world)
  world.time.clock.advance(400)
  progress.show('events', 2, 4)
  progress.end()
  expect(world.said().err).toBe('')
})
