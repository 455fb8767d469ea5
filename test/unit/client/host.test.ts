import { hostname } from 'node:os'
import { expect, it } from 'vitest'
import { currentHost } from '../../../src/client/host.ts'

it('host: the name of this machine, and this process', () => {
  expect(currentHost()).toEqual({ hostname: hostname(), pid: process.pid })
})
