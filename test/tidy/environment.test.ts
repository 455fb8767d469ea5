import { expect, test } from 'vitest'
import { createMachine } from 'xstate'

/** Where in xstate the complaint about a missing initial state comes from. */
function stackInsideXstate(): string {
  try {
    return JSON.stringify(createMachine({ initial: 'missing', states: {} }).root.initial)
  } catch (error) {
    return error instanceof Error ? (error.stack ?? '') : ''
  }
}

test('tests run the build of xstate that users run, not its development build', () => {
  const stack = stackInsideXstate()
  expect(stack).toMatch(/node_modules.xstate/)
  expect(stack).not.toMatch(/development/)
})
