import { SteleError } from 'stele'
import { expect, test } from 'vitest'
import { errorReply, jsonReply, refusalReply } from '../../../../src/inspector/server/respond.ts'

test('an error of ours keeps its code and its message', () => {
  const reply = errorReply(new SteleError('execution_not_found', 'There is no "x".'))
  expect(reply.status).toBe(404)
  expect(JSON.parse(String(reply.body))).toEqual({
    error: { code: 'execution_not_found', message: 'There is no "x".' },
  })
})

test.each([
  ['illegal_state', 409],
  ['invalid_option', 400],
  ['storage_unavailable', 503],
  ['storage_corrupt', 500],
] as const)('%s is %d', (code, status) => {
  expect(errorReply(new SteleError(code, 'x')).status).toBe(status)
})

test('a fault says nothing about itself', () => {
  const reply = errorReply(new Error('password=hunter2'))
  expect(reply.status).toBe(500)
  expect(String(reply.body)).not.toContain('hunter2')
})

test('answers and refusals are JSON', () => {
  expect(jsonReply({ a: 1 })).toMatchObject({ status: 200, body: '{"a":1}' })
  expect(refusalReply(418, 'no')).toMatchObject({
    status: 418,
    type: 'application/json; charset=utf-8',
  })
})
