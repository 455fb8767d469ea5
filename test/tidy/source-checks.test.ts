import { describe, expect, test } from 'vitest'
import type { Check } from './findings.ts'
import * as checks from './source-checks.ts'

const mark = 'TO' + 'DO'
const ignore = 'oxlint-' + 'disable-next-line no-console'

interface Case {
  readonly check: Check
  readonly sins: readonly string[]
  readonly clean: readonly string[]
  readonly path?: string
}

const cases: Readonly<Record<string, Case>> = {
  longLines: { check: checks.longLines, sins: ['x'.repeat(101)], clean: ['x'.repeat(100)] },
  unfinishedMarks: {
    check: checks.unfinishedMarks,
    sins: [`// ${mark} later`, `/* ${'FIX' + 'ME'} */`],
    clean: [`${mark}S`, 'to do'],
  },
  plainErrors: {
    check: checks.plainErrors,
    sins: [`throw new Error('no')`, `throw TypeError('no')`, `throw new\n  RangeError()`],
    clean: [`throw new SteleError('no', 'why')`, `// throw new Error('no')`],
  },
  systemTimeAndRandom: {
    check: checks.systemTimeAndRandom,
    sins: [
      'Date.now()',
      'new Date()',
      'Math.random()',
      'setTimeout(f, 1)',
      'Date\n.now',
      '{ clock: { setTimeout } }',
    ],
    // The name of a member is not the global: XState's clock has one.
    clean: [
      'clock.now()',
      'new Date(instant)',
      '/* Date.now */',
      '// setTimeout',
      '{ setTimeout: (callback) => later(callback) }',
    ],
  },
  sqlTimeAndRandom: {
    check: checks.sqlTimeAndRandom,
    sins: [
      `'SELECT datetime('now')'`,
      '`SELECT random()`',
      `'DEFAULT CURRENT_TIMESTAMP'`,
      '`now()`',
    ],
    clean: ['`SELECT created_at_ms`', '// random()', 'clock.now()'],
  },
  viewerImports: {
    check: checks.viewerImports,
    sins: [
      `import { readFile } from 'node:fs'`,
      `import { SteleError } from '../../base/error.ts'`,
      `import { x } from '../server/wire.ts'`,
      `import 'xstate'`,
    ],
    clean: [
      `import { render } from 'preact'`,
      `import { useState } from 'preact/hooks'`,
      `import { App } from './app.tsx'`,
      `import type { InfoAnswer } from '../server/wire.ts'`,
    ],
  },
  viewerMarkup: {
    check: checks.viewerMarkup,
    sins: ['<p dangerouslySetInnerHTML={x} />', 'node.innerHTML = text', 'eval(text)'],
    clean: ['<p>{text}</p>', 'node.textContent = text'],
  },
  bareSuppressions: {
    check: checks.bareSuppressions,
    sins: [`// ${ignore}`, `// ${ignore} --`],
    clean: [`// ${ignore} -- a person reads this`],
  },
  xstateValues: {
    check: checks.xstateValues,
    sins: [
      `import { createActor } from 'xstate'`,
      `import { type A, b } from 'xstate'`,
      `await import('xstate')`,
    ],
    clean: [
      `import type { InspectionEvent } from 'xstate'`,
      `import { a } from './xstate-like.ts'`,
    ],
    path: 'src/client/inspect.ts',
  },
}

describe.each(Object.entries(cases))(
  '%s',
  (_, { check, sins, clean, path = 'src/engine/a.ts' }) => {
    test.each(sins)('catches %j', (text) => {
      expect(check({ path, text })).toHaveLength(1)
    })

    test.each(clean)('lets pass %j', (text) => {
      expect(check({ path, text })).toEqual([])
    })
  },
)

test('the system may be asked in the two files that own it', () => {
  const path = 'src/base/time.ts'
  expect(checks.systemTimeAndRandom({ path, text: 'Date.now()' })).toEqual([])
})

test('other floors than the client may run xstate', () => {
  const path = 'src/engine/executor.ts'
  expect(checks.xstateValues({ path, text: `import { createActor } from 'xstate'` })).toEqual([])
})

test('a finding names the line', () => {
  const text = `// one\n/* two\n three */ Math.random()`
  expect(checks.systemTimeAndRandom({ path: 'src/a.ts', text })).toEqual([
    'src/a.ts:3: time and randomness come in as arguments',
  ])
})
