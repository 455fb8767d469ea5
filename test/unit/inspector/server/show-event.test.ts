import { expect, test } from 'vitest'
import { defaultCodec } from '../../../../src/base/codec.ts'
import {
  showEvent,
  showOutcome,
  showResponse,
} from '../../../../src/inspector/server/show-event.ts'
import type { ExecutionEvent } from '../../../../src/model/event.ts'
import type { ListedResponse } from '../../../../src/storage/read.ts'

const by = { codec: defaultCodec, max: 1_000 }
const show = (event: object) =>
  showEvent({ version: 3, createdAt: 7, event: event as ExecutionEvent }, by)

test.each<[object, string]>([
  [{ type: 'created', function: { name: 'pay' }, input: { a: 1 } }, 'pay({ "a": 1 })'],
  [{ type: 'created', function: { name: 'pay' } }, 'pay()'],
  [{ type: 'locked', executorId: 'Exr_1' }, 'by Exr_1'],
  [{ type: 'finished', outcome: { type: 'ok', value: 1 } }, 'ok 1'],
  [{ type: 'finished', outcome: { type: 'execution_failure', kind: 'timed_out' } }, 'timed_out'],
  [{ type: 'temporarily_failed', reason: 'down' }, 'down'],
  [{ type: 'step_finished', name: 'quote', outcome: { type: 'ok', value: 2 } }, 'quote: ok 2'],
  [{ type: 'step_failed', name: 'quote', attempt: 2, reason: 'no' }, 'quote, attempt 2: no'],
  [{ type: 'join_next', joinSetId: 'n:boxes' }, 'n:boxes'],
  [{ type: 'join_set_request', kind: 'delay', joinSetId: 'o:1-sleep' }, 'delay in o:1-sleep'],
  [{ type: 'unpaused' }, ''],
])('%j in one line', (event, summary) => {
  expect(show(event).summary).toBe(summary)
})

test('a summary is one line, and no longer than a line', () => {
  const { summary } = show({ type: 'temporarily_failed', reason: `a\nb ${'x'.repeat(1_000)}` })
  expect(summary).toMatch(/^a b x+…$/)
  expect(summary.length).toBe(160)
})

test('every field is there, values as values and traces by themselves', () => {
  const traces = [{ method: 'GET', origin: 'https://a', path: '/', queryKeys: [], startedAt: 1 }]
  const event = show({
    type: 'finished',
    outcome: { type: 'err', value: { no: 1 } },
    httpTraces: traces,
  })
  expect(event.fields).toEqual([
    { name: 'outcome', text: 'err' },
    { name: 'value', text: '{\n  "no": 1\n}' },
  ])
  expect(event.httpTraces).toEqual(traces)
})

test('a failure says all that is known of it', () => {
  const outcome = { type: 'execution_failure', kind: 'uncategorized', reason: 'r', detail: 'd' }
  expect(showOutcome(outcome as never, by).map(({ name, text }) => [name, text])).toEqual([
    ['outcome', 'execution_failure'],
    ['kind', 'uncategorized'],
    ['reason', 'r'],
    ['detail', 'd'],
  ])
})

test.each([
  [{ type: 'message', joinSetId: 'm:a', payload: { b: 1 } }, '{ "b": 1 }', undefined],
  [
    { type: 'delay_finished', joinSetId: 'o:1', delayId: 'Delay_x', result: 'ok' },
    'o:1',
    'Delay_x',
  ],
])('a response %j', (response, summary, about) => {
  const entry = { cursor: 1, createdAt: 2, ordinal: 1, afterVersion: 0, response }
  const shown = showResponse(entry as unknown as ListedResponse, by)
  expect([shown.summary, shown.about]).toEqual([summary, about])
})
