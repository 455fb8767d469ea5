import { describe, expect, it } from 'vitest'
import { engineInvariants } from '../../../src/simulation/engine-invariants.ts'
import { familyInvariants } from '../../../src/simulation/family-invariants.ts'
import type { InvariantView } from '../../../src/simulation/invariant.ts'
import { createLogInvariants } from '../../../src/simulation/log-invariants.ts'
import { resolveSimulation } from '../../../src/simulation/options.ts'
import { events, lock, locked, me, pending, stranger } from '../model/builders.ts'
import { change, step, verdict, view } from './views.ts'

const name = 'no executor holds more than it has permits for'
const settings = (concurrency?: number) =>
  resolveSimulation({
    functions: [],
    ...(concurrency === undefined ? {} : { engines: { executor: { concurrency } } }),
  })

/** So many are held by me, the last of them just now; one by somebody else. */
function held(count: number, event: typeof events.patched | ReturnType<typeof lock> = lock(me)) {
  const mine = Array.from({ length: count }, (_, index) =>
    change({
      id: `a-${index}`,
      state: locked(),
      steps: [step(event, { before: pending(), after: locked() })],
    }),
  )
  const theirs = change({ id: 'b', state: locked({ lastOwner: stranger }) })
  return view([...mine, theirs])
}

const say = (seen: InvariantView, concurrency?: number): string | undefined =>
  verdict(engineInvariants(settings(concurrency)), name, [seen])

describe(name, () => {
  it('is broken by one lock too many', () => {
    expect(say(held(3), 2)).toBe(`${me.executorId} holds 3 of 2`)
  })

  it('holds for as many as there are permits', () => {
    expect(say(held(2), 2)).toBeUndefined()
  })

  it('knows how many there are when nothing is said', () => {
    expect(say(held(100))).toBeUndefined()
    expect(say(held(101))).toContain('holds 101 of 100')
  })

  it('is looked at when something is locked', () => {
    expect(say(held(3, events.patched), 2)).toBeUndefined()
  })
})

describe('the invariants of the engine', () => {
  it('are all there are, each under its own name', () => {
    const names = engineInvariants(settings()).map((invariant) => invariant.name)
    const parts = [...createLogInvariants(), ...familyInvariants].map((part) => part.name)
    expect(names).toEqual([...parts, name])
    expect(new Set(names).size).toBe(names.length)
  })
})
