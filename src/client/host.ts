/** Which machine and process this is: the one file that asks the operating system. */

import { hostname } from 'node:os'
// oxlint-disable-next-line no-restricted-imports -- the one place that asks which process this is
import { cwd, pid } from 'node:process'
import type { Host } from '../engine/beat.ts'

/** The folder in which this process was started, or has gone to. */
export function currentFolder(): string {
  return cwd()
}

/** This machine and process. */
export function currentHost(): Host {
  return { hostname: hostname(), pid }
}
