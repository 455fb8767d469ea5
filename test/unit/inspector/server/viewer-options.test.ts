import { isSteleError } from 'stele'
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../../../src/base/random.ts'
import {
  isWildcard,
  resolveViewerOptions,
  type ViewerOptions,
} from '../../../../src/inspector/server/viewer-options.ts'

const resolve = (options: object) =>
  resolveViewerOptions({ storage: 'x.db', random: createRandom(1), ...options } as ViewerOptions)

function messageOf(options: object): string {
  try {
    resolve(options)
  } catch (cause) {
    if (isSteleError(cause, 'invalid_option')) return cause.message
  }
  return 'accepted'
}

describe('defaults', () => {
  test('this machine alone, a free port, a new token, and nothing but looking', () => {
    const { host, port, rules, allowActions } = resolve({})
    expect({ host, port, allowActions }).toEqual({
      host: '127.0.0.1',
      port: 0,
      allowActions: false,
    })
    expect(rules.token).toMatch(/^[\w-]{32}$/)
    expect([...rules.hosts]).toEqual(['127.0.0.1', '[::1]', 'localhost'])
  })

  test('a viewer of a database keeps the process alive, one of an engine does not', () => {
    expect(resolve({}).keepAlive).toBe(true)
    expect(resolve({ storage: undefined, engine: {} }).keepAlive).toBe(false)
  })
})

describe('other interfaces', () => {
  test.each(['0.0.0.0', '::', '10.0.0.7', 'my-machine'])(
    '%s is refused without a token',
    (host) => {
      expect(messageOf({ host })).toContain('so give a `token`')
    },
  )

  test.each(['0.0.0.0', '10.0.0.7'])('%s is taken with one', (host) => {
    expect(messageOf({ host, token: 'sixteen-letters-' })).toBe('accepted')
  })

  test.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])('%s needs none', (host) => {
    expect(messageOf({ host })).toBe('accepted')
  })

  test('an address that stands for all of them is known', () => {
    expect(['0.0.0.0', '::', '127.0.0.1'].map(isWildcard)).toEqual([true, true, false])
  })
})

test.each([
  [{ prot: 1 }, 'openViewer.prot is not an option'],
  [{ port: 70_000 }, 'openViewer.port must be'],
  [{ port: '80' }, 'openViewer.port must be'],
  [{ token: 'short' }, 'openViewer.token must be'],
  [{ token: 'with blanks and more' }, 'openViewer.token must be'],
  [{ actions: 'yes' }, 'openViewer.actions must be'],
  [{ keepAlive: 1 }, 'openViewer.keepAlive must be'],
  [{ hosts: 'a' }, 'openViewer.hosts must be'],
  [{ hosts: [1] }, 'openViewer.hosts must be'],
  [{ host: 7 }, 'openViewer.host must be'],
])('%j is refused by name', (options, message) => {
  expect(messageOf(options)).toContain(message)
})
