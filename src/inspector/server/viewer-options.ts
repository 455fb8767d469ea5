/** Options of a viewer, their defaults, and their check. */

import type { Codec } from '../../base/codec.ts'
import { guardLogger, type Logger, silentLogger } from '../../base/logger.ts'
import {
  invalidOption,
  readOptions,
  requireBoolean,
  requireInteger,
  requireText,
} from '../../base/options.ts'
import { createSystemRandom, type Random } from '../../base/random.ts'
import { type Clock, type Scheduler, systemClock, systemScheduler } from '../../base/time.ts'
import type { StorageFactory } from '../../client/engine-options.ts'
import { type GateRules, loopbackHosts } from './gate.ts'
import { mintToken, tokenLengthMin } from './token.ts'

/** What a viewer shows, and to whom. */
export interface ViewerOptions {
  /** An engine of this process; or `storage`. */
  readonly engine?: object | undefined
  /** The database of engines elsewhere, running or dead: a file name, or a storage object. */
  readonly storage?: string | StorageFactory | undefined
  /**
   * The address to listen on. Default `127.0.0.1`. Any other than the machine's own needs a `token`
   * of yours, since then others can reach the viewer.
   */
  readonly host?: string | undefined
  /** Default 0: a free port. */
  readonly port?: number | undefined
  /** What the URL must hold: 16 to 128 of `A-Z a-z 0-9 - _`. Default: a new one, of 192 bits. */
  readonly token?: string | undefined
  /** Other names by which a browser may call the viewer, such as that of a proxy. Default none. */
  readonly hosts?: readonly string[] | undefined
  /** Whether the viewer may cancel, pause, send and complete. Default false: it only looks. */
  readonly actions?: boolean | undefined
  /**
   * Whether the viewer keeps the process alive. Default: with `storage` true, with `engine` false.
   */
  readonly keepAlive?: boolean | undefined
  /** How values of users are read; with `engine`, that of the engine. */
  readonly codec?: Codec | undefined
  /** Where the viewer writes what it notices; `false` for silence, which is the default. */
  readonly logger?: Logger | false | undefined
  /** Default: the system's clock. */
  readonly clock?: Clock | undefined
  /** Default: the system's randomness, of which the token is made. */
  readonly random?: Random | undefined
  /** Default: the timers of this process. */
  readonly scheduler?: Scheduler | undefined
}

const knownOptions = [
  'engine',
  'storage',
  'host',
  'port',
  'token',
  'hosts',
  'actions',
  'keepAlive',
  'codec',
  'logger',
  'clock',
  'random',
  'scheduler',
]

/** The last port there is. */
const portMax = 65_535

/** The options in the form that the viewer uses. */
export interface ViewerSettings {
  readonly read: ViewerOptions
  readonly host: string
  readonly port: number
  readonly rules: GateRules
  readonly allowActions: boolean
  readonly keepAlive: boolean
  readonly logger: Logger
  readonly clock: Clock
  readonly random: Random
  readonly scheduler: Scheduler
}

/** Checks options and fills in the defaults. Throws `invalid_option`. */
export function resolveViewerOptions(options: ViewerOptions): ViewerSettings {
  const read = readOptions(options, knownOptions, 'openViewer')
  const { host = '127.0.0.1', port = 0, actions = false } = read
  const { keepAlive = read.engine === undefined, logger = false } = read
  const ports = resolvePorts(read)
  const address = requireText(host, 'openViewer.host').toLowerCase()
  return {
    read,
    host: address,
    port: requireInteger(port, 'openViewer.port', { min: 0, max: portMax }),
    rules: resolveRules(read, address, ports.random),
    allowActions: requireBoolean(actions, 'openViewer.actions'),
    keepAlive: requireBoolean(keepAlive, 'openViewer.keepAlive'),
    logger: logger === false ? silentLogger : guardLogger(logger),
    ...ports,
  }
}

function resolvePorts({
  clock = systemClock,
  random = createSystemRandom(),
  scheduler = systemScheduler,
}: ViewerOptions): Pick<ViewerSettings, 'clock' | 'random' | 'scheduler'> {
  return { clock, random, scheduler }
}

function resolveRules(read: ViewerOptions, host: string, random: Random): GateRules {
  const own = host.includes(':') ? `[${host}]` : host
  return {
    token: read.token === undefined ? mintFor(host, random) : checkToken(read.token),
    // Cookies do not know of ports: two viewers on one machine must not take each other's.
    cookieName: `stele_${mintToken(random, cookieNameLength)}`,
    hosts: new Set([...loopbackHosts, own, ...checkNames(read.hosts)]),
    anyAddress: isWildcard(host),
  }
}

const cookieNameLength = 8

function mintFor(host: string, random: Random): string {
  if (isLoopback(host)) return mintToken(random)
  throw invalidOption(
    'openViewer.host',
    'lets other machines reach the viewer, so give a `token` as well; ' +
      'or keep to 127.0.0.1 and come through a tunnel',
  )
}

function checkToken(given: unknown): string {
  const token = requireText(given, 'openViewer.token')
  if (/^[\w-]+$/.test(token) && token.length >= tokenLengthMin && token.length <= 128) return token
  throw invalidOption('openViewer.token', `must be ${tokenLengthMin} to 128 of A-Z a-z 0-9 - _`)
}

function checkNames(given: unknown): readonly string[] {
  if (given === undefined) return []
  if (!Array.isArray(given)) throw invalidOption('openViewer.hosts', 'must be an array of names')
  return given.map((name: unknown) => requireText(name, 'openViewer.hosts').toLowerCase())
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

/** Whether it stands for every interface. */
export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}
