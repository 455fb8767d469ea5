/** Widths and colours. */
import { describe, expect, test } from 'vitest'
import { exitCodes } from '../../../src/cli/exit-codes.ts'
import { createSession, wantsColour } from '../../../src/cli/session.ts'
import { testWorld } from './test-cli.ts'

describe('colours', () => {
  const stream = (isTerminal: boolean) => ({ isTerminal, write: () => undefined })

  test.each([
    [true, {}, undefined, true],
    [false, {}, undefined, false],
    [true, {}, false, false],
    [true, { NO_COLOR: '1' }, undefined, false],
    [true, { NO_COLOR: '' }, undefined, true],
    [false, { FORCE_COLOR: '1' }, undefined, true],
    [true, { FORCE_COLOR: '0' }, undefined, false],
    [true, { TERM: 'dumb' }, undefined, false],
  ])('terminal %j, env %j, --no-color %j', (isTerminal, env, color, ...[expected]) => {
    expect(wantsColour(stream(isTerminal), env, color)).toBe(expected)
  })
})

test('text has to fit into a terminal, and nowhere else', () => {
  expect(createSession(testWorld({ columns: 90 })).width).toBe(90)
  expect(createSession(testWorld({ columns: 5 })).width).toBe(40)
  expect(createSession(testWorld()).width).toBe(Number.POSITIVE_INFINITY)
})

test('it ends with 0, unless somebody says otherwise', () => {
  const session = createSession(testWorld())
  expect(session.exitCode()).toBe(exitCodes.ok)
  session.endWith(exitCodes.failed)
  expect(session.exitCode()).toBe(exitCodes.failed)
})
