import { expect, test } from 'vitest'
import type { ExecutionLine } from '../../../../src/inspector/server/wire.ts'
import { stateFilters, statusOf } from '../../../../src/inspector/viewer/status-of.ts'

const line = (fields: object): ExecutionLine =>
  ({ status: 'pending_at', paused: false, cancelling: false, ...fields }) as ExecutionLine

test.each([
  [{ scheduledAt: 5 }, 'due'],
  [{ scheduledAt: 50 }, 'scheduled'],
  [{ status: 'locked' }, 'running'],
  [{ status: 'blocked' }, 'waiting'],
  [{ status: 'blocked', paused: true }, 'paused'],
  [{ status: 'locked', cancelling: true }, 'cancelling'],
  [{ setAside: 'unreadable' }, 'set_aside'],
  [{ status: 'finished', outcomeType: 'ok' }, 'ok'],
  [{ status: 'finished', outcomeType: 'err' }, 'err'],
  [{ status: 'finished', outcomeType: 'execution_failure', failureKind: 'cancelled' }, 'cancelled'],
  [{ status: 'finished', outcomeType: 'execution_failure', failureKind: 'timed_out' }, 'failed'],
])('%j is %s', (fields, key) => {
  expect(statusOf(line(fields), 10).key).toBe(key)
})

test('filters have names of their own', () => {
  expect(new Set(stateFilters.map(({ key }) => key)).size).toBe(stateFilters.length)
})
