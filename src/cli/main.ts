#!/usr/bin/env node
/** The program `stele`: the one file that knows the process it runs in. */

import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
// oxlint-disable-next-line no-restricted-imports -- the one place that is the process
import process, { argv, env, exit, platform, stderr, stdin, stdout } from 'node:process'
import { text } from 'node:stream/consumers'
import { createSystemRandom } from '../base/random.ts'
import { systemClock, systemScheduler } from '../base/time.ts'
import { runCli } from './run-cli.ts'
import type { TextStream, World } from './world.ts'

function streamOf(stream: NodeJS.WriteStream): TextStream {
  return {
    write: (written) => {
      stream.write(written)
    },
    isTerminal: stream.isTTY,
    columns: stream.isTTY ? stream.columns : undefined,
  }
}

/** Whoever reads has read enough: `| head` is no failure. */
function endWithReader(stream: NodeJS.WriteStream): void {
  stream.on('error', (cause: NodeJS.ErrnoException) => {
    exit(cause.code === 'EPIPE' ? 0 : 1)
  })
}

const openers: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: 'open',
  win32: 'explorer',
}

const world: World = {
  clock: systemClock,
  scheduler: systemScheduler,
  random: createSystemRandom(),
  out: streamOf(stdout),
  err: streamOf(stderr),
  env,
  readInput: () => text(stdin),
  onInterrupt: (listener) => {
    const signals = ['SIGINT', 'SIGTERM'] as const
    for (const signal of signals) process.on(signal, listener)
    return () => {
      for (const signal of signals) process.off(signal, listener)
    }
  },
  openPage: (url) => {
    const browser = spawn(openers[platform] ?? 'xdg-open', [url], {
      stdio: 'ignore',
      detached: true,
    })
    // The address is printed too: where there is no browser, nothing is lost.
    browser.on('error', () => undefined)
    browser.unref()
  },
}

function ownVersion(): string {
  // By its own name: the build lies deeper than the source.
  const manifest: unknown = createRequire(import.meta.url)('stele/package.json')
  const isObject = typeof manifest === 'object' && manifest !== null && 'version' in manifest
  return isObject ? String(manifest.version) : 'unknown'
}

endWithReader(stdout)
endWithReader(stderr)
process.exitCode = await runCli(argv.slice(2), world, ownVersion())
