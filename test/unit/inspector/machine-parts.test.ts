/** Actions and guards as data and in words. */

import { describe, expect, it } from 'vitest'
import {
  and,
  assign,
  cancel,
  createMachine,
  emit,
  enqueueActions,
  fromPromise,
  log,
  not,
  or,
  raise,
  sendTo,
  spawnChild,
  stateIn,
  stopChild,
} from 'xstate'
import {
  actionText,
  guardTexts,
  isLossy,
  listOf,
  logicName,
  namedAction,
  namedGuard,
} from '../../../src/inspector/machine-parts.ts'

function isReady(): boolean {
  return true
}

describe('actions', () => {
  it.each([
    ['notify', 'notify'],
    [{ type: 'notify', params: { to: 'ann' } }, 'notify'],
    [isReady, 'isReady'],
    [() => undefined, 'inline'],
    [assign({}), 'assign'],
    [raise({ type: 'GO' }), 'raise GO'],
    [raise(() => ({ type: 'GO' })), 'raise'],
    [sendTo('worker', { type: 'GO' }), 'send GO to worker'],
    [sendTo(() => 'worker', { type: 'GO' }), 'send GO'],
    [emit({ type: 'SAID' }), 'emit SAID'],
    [cancel('timer'), 'cancel timer'],
    [log('text'), 'log'],
    [enqueueActions(() => undefined), 'enqueueActions'],
    [spawnChild('worker'), 'spawn worker'],
    [spawnChild(fromPromise(() => Promise.resolve(1))), 'spawn inline'],
    [spawnChild(createMachine({ id: 'counter' })), 'spawn counter'],
    [stopChild('worker'), 'stop worker'],
    [undefined, 'inline'],
    [7, 'inline'],
  ])('%j reads %s', (action, text) => {
    expect(actionText(namedAction(action))).toBe(text)
  })

  it('a function in the form of data reads as the function does', () => {
    const named = namedAction(sendTo('worker', { type: 'GO' }))
    expect(namedAction(JSON.parse(JSON.stringify(named)))).toEqual(named)
  })
})

describe('guards', () => {
  it.each([
    ['isReady', ['isReady']],
    [isReady, ['isReady']],
    [() => true, ['inline']],
    [and(['a', and(['b', 'c'])]), ['a', 'b', 'c']],
    [or(['a', and(['b', 'c'])]), ['a or (b and c)']],
    [not('a'), ['not a']],
    [not(or(['a', 'b'])), ['not (a or b)']],
    [stateIn('paid'), ['in paid']],
    [stateIn({ open: 'paid' }), ['in {"open":"paid"}']],
  ])('%j reads %j', (guard, texts) => {
    const named = namedGuard(guard)
    expect(guardTexts(named)).toEqual(texts)
    expect(guardTexts(namedGuard(JSON.parse(JSON.stringify(named))))).toEqual(texts)
  })
})

describe('parts of a machine', () => {
  it('what a function does, or computes as parameters, is lost', () => {
    const dynamic = { type: 'notify', params: () => ({}) }
    expect([isReady, dynamic, 'isReady', { type: 'a', params: {} }].map(isLossy)).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  it('one thing is a list of one, and nothing an empty one', () => {
    expect([undefined, null, 'a', ['a', 'b']].map(listOf)).toEqual([[], [], ['a'], ['a', 'b']])
  })

  it('logic has the name it is registered under, or the id of its machine', () => {
    const machine = createMachine({ id: 'counter' })
    expect(['charge', machine, fromPromise(() => Promise.resolve(1))].map(logicName)).toEqual([
      'charge',
      'counter',
      'inline',
    ])
  })
})
