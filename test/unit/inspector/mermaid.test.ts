/** The text of a Mermaid diagram. */

import { describe, expect, it } from 'vitest'
import { createMachine } from 'xstate'
import { chartOf } from '../../../src/inspector/chart.ts'
import { mermaidOf } from '../../../src/inspector/mermaid.ts'
import { userMachine } from '../../support/user-machine.ts'

const lines = mermaidOf(chartOf(userMachine)).split('\n')

function block(name: string): readonly string[] {
  const begin = lines.findIndex((line) => line.trim().startsWith(`state "${name}"`))
  const indent = lines[begin]?.match(/^ */)?.[0] ?? ''
  const end = lines.indexOf(`${indent}}`, begin)
  return lines.slice(begin, end + 1).map((line) => line.trim())
}

describe('mermaid text of a chart', () => {
  it('begins with the kind of the diagram, and the initial state', () => {
    expect(lines.slice(0, 3)).toEqual(['stateDiagram-v2', '  [*] --> s0', '  state "draft" as s0'])
  })

  it('divides the regions of a parallel state', () => {
    expect(block('working').filter((line) => line === '--')).toHaveLength(1)
  })

  it('nests states, with their own beginning and end', () => {
    expect(block('boxes')).toEqual([
      'state "boxes" as s8 {',
      '[*] --> s9',
      'state "first" as s9',
      'state "second" as s10',
      'state "end" as s11',
      's11 --> [*]',
      'state "H*" as s12',
      '}',
    ])
  })

  it('says what a state does', () => {
    expect(block('payment')).toContain('s3: runs charge as payer')
    expect(block('payment')).toContain('s4: entry / notify')
  })

  it('joins what leads from one state to another', () => {
    expect(lines).toContain('  s3 --> s4: error#58; charge, after patience')
  })

  it('draws what holds for the whole machine from each state that it leaves', () => {
    const cancel = lines.filter((line) => line.endsWith(': CANCEL'))
    expect(cancel.map((line) => line.trim().split(' ')[0])).toEqual(['s0', 's1', 's14', 's17'])
  })

  it('escapes what Mermaid would take for its own', () => {
    expect(lines).toContain('  state "odd.key#58; --#62; [*] #60;b#62;#38;#34;#60;/b#62;" as s17')
  })

  it('no text of a machine begins a line of its own', () => {
    const odd = 'a\n} state "x" as y'
    const machine = createMachine({
      id: 'm',
      initial: odd,
      states: { [odd]: { on: { [odd]: odd } } },
    })
    const text = mermaidOf(chartOf(machine))
    expect(text.split('\n')).toHaveLength(4)
    expect(text).toContain('a#10;#125; state #34;x#34; as y')
  })
})
