import { activityDefaults, defineActivity } from 'stele'
import { describe, expect, it } from 'vitest'
import {
  type AnyFunctionOptions,
  concurrencyMax,
  maxRetriesMax,
  resolveFunctionOptions,
  resolveRetry,
  workflowDefaults,
} from '../../../src/workers/function-options.ts'

const resolve = (options: object) =>
  resolveFunctionOptions('activity', { name: 'charge', ...options } as AnyFunctionOptions)

describe('resolveFunctionOptions', () => {
  it('defaults: version 1, five retries from 100 ms, five minutes; the engine says the rest', () => {
    expect(resolve({})).toEqual({
      id: { kind: 'activity', name: 'charge', version: '1' },
      input: undefined,
      output: undefined,
      failure: undefined,
      retry: { maxRetries: 5, backoff: 100 },
      timeout: 300_000,
      lockExpiry: undefined,
      concurrency: undefined,
    })
    expect(activityDefaults).toEqual({
      version: '1',
      maxRetries: 5,
      backoff: 100,
      timeout: 300_000,
    })
  })

  it('durations: texts and numbers, in milliseconds', () => {
    const retry = { maxRetries: 0, backoff: '2s', maxBackoff: '1 minute', jitter: 1 }
    expect(resolve({ timeout: '1h', lockExpiry: 5_000, retry })).toMatchObject({
      timeout: 3_600_000,
      lockExpiry: 5_000,
      retry: { maxRetries: 0, backoff: 2_000, maxBackoff: 60_000, jitter: 1 },
    })
  })

  const workflow = (options: object, own?: readonly string[]) =>
    resolveFunctionOptions('workflow', { name: 'flow', ...options } as AnyFunctionOptions, own)

  it('workflow: repeats for ever, at most a minute apart; the rest is as with activities', () => {
    expect(workflow({})).toEqual({
      ...resolve({}),
      id: { kind: 'workflow', name: 'flow', version: '1' },
      retry: { maxRetries: null, backoff: 100, maxBackoff: 60_000 },
    })
    expect(workflowDefaults).toEqual({ maxRetries: null, maxBackoff: 60_000 })
  })

  it('workflow: what is given stands', () => {
    const retry = { maxRetries: 2, backoff: 5, maxBackoff: '1h' }
    expect(workflow({ retry }).retry).toEqual({
      maxRetries: 2,
      backoff: 5,
      maxBackoff: 3_600_000,
    })
    const undefineds = { maxRetries: undefined, maxBackoff: undefined }
    expect(workflow({ retry: undefineds })).toEqual(workflow({}))
  })

  it('own options: those of a kind are known when it says so, and nowhere else', () => {
    expect(workflow({ messages: {} }, ['messages'])).toEqual(workflow({}))
    expect(() => workflow({ messages: {} })).toThrow(
      expect.objectContaining({ code: 'invalid_option', fields: { option: 'flow.messages' } }),
    )
  })

  it('undefined: is the same as not given', () => {
    const undefineds = { version: undefined, retry: undefined, timeout: undefined }
    expect(resolve(undefineds)).toEqual(resolve({}))
    expect(resolve({ retry: { maxRetries: undefined, jitter: undefined } }).retry).toEqual({
      maxRetries: 5,
      backoff: 100,
    })
  })

  it('bounds: the largest and smallest are allowed', () => {
    expect(resolve({ concurrency: concurrencyMax }).concurrency).toBe(concurrencyMax)
    expect(resolve({ retry: { maxRetries: maxRetriesMax } }).retry.maxRetries).toBe(maxRetriesMax)
    expect(resolve({ retry: { backoff: 0, jitter: 0 } }).retry).toMatchObject({ backoff: 0 })
  })

  it.each<[string, object, string]>([
    ['an unknown key', { retries: 3 }, 'charge.retries'],
    ['an unknown key of retry', { retry: { max: 3 } }, 'charge.retry.max'],
    ['a retry that is no object', { retry: 3 }, 'charge.retry'],
    ['a negative budget', { retry: { maxRetries: -1 } }, 'charge.retry.maxRetries'],
    ['half a retry', { retry: { maxRetries: 0.5 } }, 'charge.retry.maxRetries'],
    ['too many retries', { retry: { maxRetries: maxRetriesMax + 1 } }, 'charge.retry.maxRetries'],
    ['jitter above 1', { retry: { jitter: 1.1 } }, 'charge.retry.jitter'],
    ['jitter that is a text', { retry: { jitter: '0.5' } }, 'charge.retry.jitter'],
    ['no timeout', { timeout: 0 }, 'charge.timeout'],
    ['no lock', { lockExpiry: 0 }, 'charge.lockExpiry'],
    ['no concurrency', { concurrency: 0 }, 'charge.concurrency'],
    ['too much concurrency', { concurrency: concurrencyMax + 1 }, 'charge.concurrency'],
    ['an input that is no schema', { input: { parse: () => 1 } }, 'charge.input'],
    ['an output that is no schema', { output: 'string' }, 'charge.output'],
    ['a failure that is no schema', { failure: null }, 'charge.failure'],
  ])('refused: %s, by its name', (_, options, option) => {
    expect(() => resolve(options)).toThrow(
      expect.objectContaining({ code: 'invalid_option', fields: { option } }),
    )
  })

  it.each<[string, object]>([
    ['a timeout that is no duration', { timeout: 'soon' }],
    ['a backoff that is negative', { retry: { backoff: -1 } }],
    ['a longest backoff that is no duration', { retry: { maxBackoff: Number.NaN } }],
  ])('refused: %s', (_, options) => {
    expect(() => resolve(options)).toThrow(expect.objectContaining({ code: 'invalid_option' }))
  })

  it.each([undefined, '', '1st', 'a b', 'a.b', 'x'.repeat(65), 5])(
    'refused: %s as a name',
    (name) => {
      expect(() => resolve({ name })).toThrow(expect.objectContaining({ code: 'invalid_name' }))
    },
  )

  it('refused: options that are no object', () => {
    expect(() => defineActivity(undefined as never)).toThrow(
      expect.objectContaining({ code: 'invalid_option' }),
    )
  })
})

describe('resolveRetry', () => {
  it.each([
    ['activity', { maxRetries: 5, backoff: 100 }],
    ['workflow', { maxRetries: null, backoff: 100, maxBackoff: 60_000 }],
    ['machine', { maxRetries: null, backoff: 100, maxBackoff: 60_000 }],
  ] as const)('defaults: %s has those of its kind', (kind, policy) => {
    expect(resolveRetry({}, 'f', kind)).toEqual(policy)
  })

  it('refused: by the name that it is given', () => {
    expect(() => resolveRetry({ maxRetries: -1 }, 'ctx.step', 'activity')).toThrow(
      expect.objectContaining({ fields: { option: 'ctx.step.retry.maxRetries' } }),
    )
  })
})
