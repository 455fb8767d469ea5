/** The text for Stately Studio. */

import { describe, expect, it } from 'vitest'
import { createMachine } from 'xstate'
import { executorMachine } from '../../../machines/executor.ts'
import type { JsonObject } from '../../../src/base/json.ts'
import { definitionOf } from '../../../src/inspector/definition.ts'
import { studioOf } from '../../../src/inspector/studio.ts'
import { userMachine } from '../../support/user-machine.ts'

function configIn(text: string): unknown {
  const [, json] = /createMachine\((\{[^]*\})\)\n$/.exec(text) ?? []
  return JSON.parse(json ?? 'null')
}

describe('text for Stately Studio', () => {
  it('is a module with one call', () => {
    const { text, lost } = studioOf(executorMachine)
    expect(text).toMatch(
      /^import \{ createMachine \} from 'xstate'\n\nexport const machine = createMachine\(\{\n/,
    )
    expect(configIn(text)).toEqual(definitionOf(executorMachine).config)
    expect(lost).toEqual([])
  })

  it('lists what it could not take along', () => {
    expect(studioOf(userMachine).lost.map(({ replacedBy }) => replacedBy)).toEqual([
      'and',
      'assign',
      'raise',
      'inline',
    ])
  })

  it('a state may have the name of the prototype', () => {
    const config: JsonObject = JSON.parse('{"initial":"__proto__","states":{"__proto__":{}}}')
    const { text } = studioOf(createMachine(config))
    expect(text).toContain('["__proto__"]: {}')
  })
})
