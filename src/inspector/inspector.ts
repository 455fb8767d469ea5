/**
 * `inspector({ … })`: something for the `inspect` option of an engine, or of any XState actor, that
 * turns what it sees into frames and sends them where the options say. The one place that reads
 * those options.
 */

import type { InspectionEvent } from 'xstate'
import type { SteleError } from '../base/error.ts'
import { guardLogger, type Logger, silentLogger } from '../base/logger.ts'
import {
  invalidOption,
  readOptions,
  requireFunctions,
  requireInteger,
  requireText,
  showValue,
} from '../base/options.ts'
import {
  backgroundScheduler,
  type Clock,
  type Duration,
  type Milliseconds,
  parseDuration,
  type Scheduler,
  systemClock,
  systemScheduler,
} from '../base/time.ts'
import { createAdapter } from './adapter.ts'
import type { Frame, OnFrame } from './frame.ts'
import { framesMaxDefault } from './frame-buffer.ts'
import type { FrameSink } from './frame-sink.ts'
import type { Redact } from './frame-values.ts'
import type { HistoryOptions } from './history.ts'
import type { Viewer } from './server/open-viewer.ts'
import { createSocket } from './socket.ts'
import { createViewing, type Viewing, type ViewingOptions, viewingOptions } from './viewing.ts'

/** Where frames go, and what may be seen in them. */
export interface InspectorOptions extends ViewingOptions {
  /** A relay that listens, such as `createInspectorServer` of `@statelyai/inspect`: `ws://…`. */
  readonly url?: string | undefined
  /** Takes each frame in this process, at once. What it throws is dropped. */
  readonly onFrame?: OnFrame | undefined
  /** Sees every event, context, output and error first, and gives what may be shown of it. */
  readonly redact?: Redact | undefined
  /** Most frames that wait for a connection; the oldest are dropped. Default 10,000. */
  readonly framesMax?: number | undefined
  /** Characters of an event, or of a context, that are shown. Default 65,536. */
  readonly charsMax?: number | undefined
  /** Hears when a connection is lost, and found again. Default: nobody. */
  readonly logger?: Logger | undefined
  /** Default: the system's clock. */
  readonly clock?: Clock | undefined
}

/** Sees what actors do, and shows it elsewhere. */
export interface StatelyInspector {
  /** Called by the engine that it is given to: opens the viewer, if there is to be one. */
  readonly attach: (engine: object) => void
  /**
   * The viewer, once an engine has it. Rejects with `viewer_unavailable` when it cannot listen, and
   * with `invalid_option` when no option asked for one.
   */
  readonly viewer: () => Promise<Viewer>
  /** Takes an inspection event of XState. Never throws. */
  readonly next: (event: InspectionEvent) => void
  /** Takes a frame that was made elsewhere, as it is. Never throws. */
  readonly send: OnFrame
  /** What may be seen through it; `inspectExecution` asks for that. */
  readonly showing: HistoryOptions
  /**
   * Waits until every frame is on its way, at most `timeout` (default 2 seconds), and lets go of
   * the connection. Idempotent; never rejects but for a `timeout` that is none.
   */
  readonly close: (options?: { readonly timeout?: Duration | undefined }) => Promise<void>
}

const knownOptions = [
  'url',
  'onFrame',
  'redact',
  'framesMax',
  'charsMax',
  'logger',
  'clock',
  ...viewingOptions,
]
/** Characters of an event or context, unless told otherwise: what a person may look through. */
const charsMaxDefault = 65_536
/** Most of them that may be asked for: one frame should not be a burden of its own. */
const charsMaxMost = 10_000_000
/** Most frames that may wait. */
const framesMaxMost = 1_000_000
/** How long `close` waits for a connection. */
const closeTimeout: Milliseconds = 2_000

/** An inspector that sends frames to a relay or a function, or both. Throws `invalid_option`. */
export function inspector(options: InspectorOptions): StatelyInspector {
  const settings = readInspectorOptions(options)
  const { viewing } = settings
  const sinks = createSinks(settings)
  let closing: Promise<void> | undefined
  const send = (frame: Frame): void => {
    if (closing !== undefined) return
    for (const sink of sinks) sink.send(frame)
  }
  // Without anywhere to go, frames are not made.
  const adapt = sinks.length === 0 ? undefined : createAdapter({ ...settings, onFrame: send })
  return {
    next: (event) => {
      adapt?.(event)
      viewing?.next(event)
    },
    send,
    attach: (engine) => viewing?.attach(engine),
    viewer: () => viewing?.viewer() ?? Promise.reject(noViewer()),
    showing: { redact: settings.redact, charsMax: settings.charsMax },
    close: async ({ timeout = closeTimeout } = {}) => {
      const limit = parseDuration(timeout)
      closing ??= Promise.all([closeAll(sinks, limit), viewing?.close()]).then(() => undefined)
      await closing
    },
  }
}

interface Settings {
  readonly url: string | undefined
  readonly onFrame: OnFrame | undefined
  readonly viewing: Viewing | undefined
  readonly redact: Redact | undefined
  readonly framesMax: number
  readonly charsMax: number
  readonly logger: Logger
  readonly clock: Clock
  readonly scheduler: Scheduler
}

function readInspectorOptions(options: InspectorOptions): Settings {
  const given = readOptions(options, knownOptions, 'inspector')
  const { url, onFrame, redact } = given
  const asked = viewingOptions.filter((name) => given[name] !== undefined)
  if (url === undefined && onFrame === undefined && asked.length === 0) {
    throw invalidOption('inspector', 'needs a `port`, a `url`, or a function `onFrame`')
  }
  for (const [name, value] of Object.entries({ onFrame, redact })) {
    if (value === undefined || typeof value === 'function') continue
    throw invalidOption(`inspector.${name}`, `must be a function, not ${showValue(value)}`)
  }
  const frames = { redact, ...readLimits(given), ...readPorts(given) }
  const viewer = Object.fromEntries(asked.map((name) => [name, given[name]] as const))
  return {
    url: url === undefined ? undefined : requireRelay(url),
    onFrame,
    viewing: asked.length === 0 ? undefined : createViewing({ options: viewer, ...frames }),
    scheduler: backgroundScheduler,
    ...frames,
  }
}

function readLimits({
  framesMax = framesMaxDefault,
  charsMax = charsMaxDefault,
}: InspectorOptions): Pick<Settings, 'framesMax' | 'charsMax'> {
  return {
    framesMax: requireInteger(framesMax, 'inspector.framesMax', { min: 1, max: framesMaxMost }),
    charsMax: requireInteger(charsMax, 'inspector.charsMax', { min: 0, max: charsMaxMost }),
  }
}

function readPorts({
  logger = silentLogger,
  clock = systemClock,
}: InspectorOptions): Pick<Settings, 'logger' | 'clock'> {
  requireFunctions(logger, 'inspector.logger', ['info', 'warn'])
  requireFunctions(clock, 'inspector.clock', ['now'])
  return { logger: guardLogger(logger), clock }
}

function noViewer(): SteleError {
  return invalidOption('inspector.port', 'is missing: no option asks for a viewer')
}

function requireRelay(url: string): string {
  requireText(url, 'inspector.url')
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed !== undefined && /^wss?:$/.test(parsed.protocol) && parsed.hash === '') return url
  throw invalidOption('inspector.url', `must be like ws://localhost:8080, not ${showValue(url)}`)
}

function createSinks(settings: Settings): readonly FrameSink[] {
  const { url, onFrame } = settings
  return [
    ...(onFrame === undefined ? [] : [functionSink(onFrame)]),
    ...(url === undefined ? [] : [createSocket({ ...settings, url })]),
  ]
}

function functionSink(onFrame: OnFrame): FrameSink {
  return {
    send: (frame) => {
      try {
        const told: unknown = onFrame(frame)
        if (told instanceof Promise) told.catch(() => undefined)
      } catch {
        // Whoever looks on must not stand in the way.
      }
    },
    drained: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}

/** The process waits for this: whoever calls it wants the last frames to arrive. */
async function closeAll(sinks: readonly FrameSink[], limit: Milliseconds): Promise<void> {
  await new Promise<void>((resolve) => {
    const cancel = systemScheduler.after(limit, resolve)
    void Promise.all(sinks.map((sink) => sink.drained())).then(() => {
      cancel()
      resolve()
    })
  })
  await Promise.all(sinks.map((sink) => sink.close()))
}
