/** What functions log is shown and kept, and can break neither the function nor the engine. */

import { describe, expect, it } from 'vitest'
import { defaultCodec } from '../../../src/base/codec.ts'
import type { Logger } from '../../../src/base/logger.ts'
import type { Run } from '../../../src/engine/worker.ts'
import {
  createRunLog,
  type LogLineRequest,
  logFieldsBytesMax,
  logMessageMax,
  writeLine,
} from '../../../src/workers/run-log.ts'
import { type LoggedLine, recordingLogger } from '../engine/surroundings.ts'
import { executionId } from '../model/builders.ts'

type KeptLine = readonly unknown[]

/** A run that keeps its lines where the test finds them. */
function openRun() {
  const kept: KeptLine[] = []
  const shown: LoggedLine[] = []
  const run: Pick<Run, 'executionId' | 'attempt' | 'log'> = {
    executionId,
    attempt: 2,
    log: (...line) => {
      kept.push(line)
    },
  }
  const write = (line: Partial<LogLineRequest>, logger: Logger = recordingLogger(shown)): void => {
    const request = { level: 'info', message: 'hello', fields: undefined, ...line } as const
    writeLine(run, { codec: defaultCodec, logger }, request)
  }
  return { run, kept, shown, write }
}

const brokenLogger: Logger = {
  debug: fail,
  info: fail,
  warn: fail,
  error: fail,
}

function fail(): never {
  throw new Error('broken')
}

describe('createRunLog', () => {
  it.each(['debug', 'info', 'warn', 'error'] as const)('level: %s is that of the line', (level) => {
    const lines: LogLineRequest[] = []
    const log = createRunLog((line) => lines.push(line))
    log[level]('hello', { n: 1 })
    log[level]('bare')
    expect(lines).toEqual([
      { level, message: 'hello', fields: { n: 1 } },
      { level, message: 'bare', fields: undefined },
    ])
  })
})

describe('writeLine', () => {
  it('line: is shown with execution and attempt, and kept with the run', () => {
    const { kept, shown, write } = openRun()
    write({ level: 'warn', fields: { n: 1 } })
    expect(shown).toEqual([
      { level: 'warn', message: 'hello', fields: { executionId, attempt: 2, n: 1 } },
    ])
    expect(kept).toEqual([['warn', 'hello', { n: 1 }]])
  })

  it('fields: none, and an empty object, are kept as none', () => {
    const { kept, write } = openRun()
    write({})
    write({ fields: {} })
    expect(kept).toEqual([
      ['info', 'hello', undefined],
      ['info', 'hello', undefined],
    ])
  })

  it('fields: are kept as they were when the line was written', () => {
    const { kept, write } = openRun()
    const fields = { items: [1] }
    write({ fields })
    fields.items.push(2)
    expect(kept).toEqual([['info', 'hello', { items: [1] }]])
  })

  it('fields: what cannot be stored is a note in their place', () => {
    const { kept, write } = openRun()
    write({ fields: { f: () => 1 } })
    write({ fields: { text: 'x'.repeat(logFieldsBytesMax) } })
    write({ fields: null as never })
    const note = (text: unknown): KeptLine => ['info', 'hello', { notStored: text }]
    expect(kept).toEqual([
      note(expect.stringContaining('fields.f')),
      note(expect.stringContaining('bytes')),
      note(expect.any(String)),
    ])
  })

  it('fields: an object that cannot even be looked at is a note too', () => {
    const { kept, write } = openRun()
    const fields = new Proxy({}, { ownKeys: fail })
    write({ fields })
    expect(kept).toEqual([['info', 'hello', { notStored: 'the fields cannot be read' }]])
  })

  it('fields: a codec that makes something else of them leaves none', () => {
    const { run, kept, shown } = openRun()
    const codec = { encode: () => 'text', decode: () => undefined }
    const line = { level: 'info', message: 'hello', fields: { n: 1 } } as const
    writeLine(run, { codec, logger: recordingLogger(shown) }, line)
    expect(kept).toEqual([['info', 'hello', undefined]])
  })

  it('message: anything is kept as text, and cut when it is long', () => {
    const { kept, write } = openRun()
    write({ message: 5 as never })
    write({ message: 'x'.repeat(logMessageMax) })
    write({ message: 'x'.repeat(logMessageMax + 1) })
    expect(kept.map(([, message]) => message)).toEqual([
      '5',
      'x'.repeat(logMessageMax),
      `${'x'.repeat(logMessageMax)}…`,
    ])
  })

  it('logger: one that throws costs nothing', () => {
    const { kept, write } = openRun()
    write({}, brokenLogger)
    expect(kept).toHaveLength(1)
  })

  it('run: one that throws, and a message that cannot be a text, harm nobody', () => {
    const { run, shown, write } = openRun()
    const logger = recordingLogger(shown)
    const line = { level: 'info', message: 'hello', fields: undefined } as const
    writeLine({ ...run, log: fail }, { codec: defaultCodec, logger }, line)
    write({ message: { toString: fail } as never })
    expect(shown).toHaveLength(2)
  })
})
