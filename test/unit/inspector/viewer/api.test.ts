import { afterEach, expect, test, vi } from 'vitest'
import { act, ask, questionOf } from '../../../../src/inspector/viewer/api.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

function answerWith(answer: object): ReturnType<typeof vi.fn> {
  const fetch = vi.fn(() => Promise.resolve({ json: () => Promise.resolve(answer) }))
  vi.stubGlobal('fetch', fetch)
  return fetch
}

test('a question is a path; what is empty is left out', () => {
  expect(questionOf('events', { id: 'a/b', from: 0, none: '' })).toBe('/api/events?id=a%2Fb&from=0')
  expect(questionOf('info')).toBe('/api/info')
})

test('an answer is given as it is', async () => {
  answerWith({ items: [] })
  expect(await ask('/api/executions')).toEqual({ items: [] })
})

test('a refusal is an error with its code and its sentence', async () => {
  answerWith({ error: { code: 'illegal_state', message: 'It is paused already.' } })
  await expect(act('pause', { id: 'a' })).rejects.toMatchObject({
    code: 'illegal_state',
    message: 'It is paused already.',
  })
})

test('a server that is gone is said to be', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed')))
  await expect(ask('/api/info')).rejects.toMatchObject({ code: 'unreachable' })
})
