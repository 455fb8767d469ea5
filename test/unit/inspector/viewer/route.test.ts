import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { executionHref, formatRoute, parseRoute } from '../../../../src/inspector/viewer/route.ts'

test.each([
  ['', 'executions', ''],
  ['#', 'executions', ''],
  ['#/executors', 'executors', ''],
  ['#/machines?x=1', 'machines', ''],
  ['#/execution/order%2F1', 'execution', 'order/1'],
  ['#/execution/100%', 'execution', '100%'],
  ['#/nowhere', 'missing', ''],
])('%s is %s', (hash, page, id) => {
  expect(parseRoute(hash)).toMatchObject({ page, id })
})

test('whatever the id, the way to an execution leads to it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), (id, version) => {
      const route = parseRoute(executionHref(id, version))
      expect(route).toEqual({ page: 'execution', id, query: { v: String(version) } })
    }),
  )
})

test('filters survive the way there and back; empty ones are left out', () => {
  const query = { prefix: 'a b&c=%', state: 'ok' }
  expect(parseRoute(formatRoute('executions', { query: { ...query, from: '' } })).query).toEqual(
    query,
  )
})
