/** A reference carries what is behind it, and only the engine knows how to look. */

import { defineActivity, functionRef } from 'stele'
import { describe, expect, it } from 'vitest'
import {
  attachDefinition,
  type FunctionDefinition,
  findDefinition,
} from '../../../src/workers/definition.ts'
import {
  type AnyFunctionOptions,
  resolveFunctionOptions,
} from '../../../src/workers/function-options.ts'

const options = { name: 'charge' } as AnyFunctionOptions
const definition: FunctionDefinition = {
  kind: 'activity',
  settings: resolveFunctionOptions('activity', options),
}

describe('attachDefinition', () => {
  it('attach: gives the same reference, with the definition behind it', () => {
    const reference = { kind: 'activity', name: 'charge' }
    expect(attachDefinition(reference, definition)).toBe(reference)
    expect(findDefinition(reference)).toBe(definition)
    expect(Object.keys(reference)).toEqual(['kind', 'name'])
  })

  it('attach: a copy of the reference has it too', () => {
    const reference = attachDefinition({ name: 'charge' }, definition)
    expect(findDefinition({ ...reference })).toBe(definition)
  })

  it('attach: what is behind a reference cannot be exchanged', () => {
    const reference = attachDefinition({ name: 'charge' }, definition)
    expect(() => attachDefinition(reference, { ...definition })).toThrow(TypeError)
  })
})

describe('findDefinition', () => {
  it('find: another copy of the package finds it by the same key', () => {
    const theirs = { [Symbol.for('stele.definition')]: definition }
    expect(findDefinition(theirs)).toBe(definition)
  })

  it('find: anything else has none', () => {
    expect(findDefinition({ name: 'charge', kind: 'activity' })).toBeUndefined()
    expect(findDefinition(functionRef('charge'))).toBeUndefined()
    expect(findDefinition(() => 1)).toBeUndefined()
  })

  it.each([null, undefined, 5, 'text', true])('find: %s under the key is none', (value) => {
    expect(findDefinition({ [Symbol.for('stele.definition')]: value })).toBeUndefined()
  })

  it('find: an activity has one', () => {
    expect(findDefinition(defineActivity({ name: 'charge' }, () => 1))?.kind).toBe('activity')
  })
})
