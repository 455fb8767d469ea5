/** Events and their rows: everything survives the way there and back. */

import { describe, expect, test } from 'vitest'
import { eventTypes } from '../../../src/model/event.ts'
import {
  insertEventCall,
  parseCreated,
  parseEvent,
  writeEvent,
} from '../../../src/storage/event-row.ts'
import type { Row } from '../../../src/storage/protocol.ts'
import { createdEvent, finishedEvent, sampleEvents } from '../../support/storage/events.ts'
import { executionId } from '../../support/storage/ids.ts'

const corrupt = expect.objectContaining({ code: 'storage_corrupt' })

const row = (part: Row = {}): Row => ({
  execution_id: 'a',
  version: 3,
  created_at_ms: 20,
  type: 'paused',
  body: '{}',
  ...part,
})

describe('writeEvent() and parseEvent()', () => {
  test('the samples show every type of event', () => {
    expect([...new Set(sampleEvents.map(({ type }) => type))]).toEqual(eventTypes)
  })

  test.each(sampleEvents)('$type reads as it was written', (event) => {
    const { values } = insertEventCall(executionId('a'), 3, writeEvent(event, 20))
    const [id, version, createdAt, type, body] = values
    const written = { execution_id: id, version, created_at_ms: createdAt, type, body }
    const parsed = parseEvent(written)
    expect(parsed).toEqual({ version: 3, createdAt: 20, event })
    expect(JSON.stringify(parsed.event)).toBe(JSON.stringify(event))
  })

  test('the type stands in its column only', () => {
    expect(writeEvent({ type: 'unpaused' }, 20).body).toBe('{}')
  })

  test('the text is made when the write is asked for', () => {
    const value = { total: 5 }
    const written = writeEvent(finishedEvent({ type: 'ok', value }), 20)
    value.total = 6
    expect(written.body).toBe('{"outcome":{"type":"ok","value":{"total":5}}}')
  })

  test.each([
    ['an unknown type', { type: 'exploded' }],
    ['no type', { type: null }],
    ['no version', { version: null }],
    ['no instant', { created_at_ms: 'soon' }],
    ['a body that is no JSON', { body: '{' }],
    ['a body that is no object', { body: '[]' }],
    ['no body', { body: null }],
  ])('%s is corrupt', (_, part) => {
    expect(() => parseEvent(row(part))).toThrow(corrupt)
  })
})

describe('parseCreated()', () => {
  test('it reads the body of a created event', () => {
    const event = createdEvent()
    const { body } = writeEvent(event, 0)
    expect(parseCreated({ created_body: body })).toEqual(event)
  })

  test.each(['{}', '{"function":"charge"}', '{"function":null}', 'null', '{'])(
    '%s is corrupt',
    (body) => {
      expect(() => parseCreated({ created_body: body })).toThrow(corrupt)
    },
  )
})
