/** Which line of a user's code calls right now: asked of the stack, once for each place. */

import { isAbsolute } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SourceText } from '../../storage/sources.ts'
import type { FindPlace } from './call-places.ts'
import { type FoundPlace, openSourceFile, type Position, type SourceFile } from './source-file.ts'

/** What finding places stands on. */
export interface SourceLinesOptions {
  /** Names of files are given relative to it, where they lie below it. */
  readonly folder: string
  /** Texts of more bytes are not kept. */
  readonly sourceBytes: number
  /** Keeps a text. Where that fails it is asked again, with the next call from that file. */
  readonly keep: (source: SourceText) => Promise<void>
}

/**
 * Frames looked at. Ours are some ten, and those of the user begin right below; each one more costs
 * about half a microsecond, so that the deeper look is the second.
 */
const framesMax = [16, 64] as const
/** Places remembered: calls are made from few, unless code is made up while it runs. */
const placesMax = 10_000

/** Finds where the code stands that calls. Never throws; knows nothing of code of our own. */
export function createSourceLines(options: SourceLinesOptions): FindPlace {
  const files = new Map<string, SourceFile | undefined>()
  const places = new Map<string, FoundPlace | undefined>()
  const kept = new Set<string>()
  const fileOf = (name: string): SourceFile | undefined => {
    if (!files.has(name)) files.set(name, openSourceFile(name, options.folder))
    return files.get(name)
  }
  const keep = ({ text }: FoundPlace): void => {
    if (kept.has(text.hash)) return
    kept.add(text.hash)
    if (Buffer.byteLength(text.text) > options.sourceBytes) return
    options.keep(text).catch(() => {
      kept.delete(text.hash)
    })
  }
  const find: FindPlace = () => {
    const frame = findFrame()
    if (frame === undefined) return undefined
    const key = `${frame.file}:${frame.line}:${frame.column}`
    let found = places.get(key)
    if (found === undefined && !places.has(key)) {
      found = fileOf(frame.path)?.find(frame)
      if (places.size >= placesMax) places.clear()
      places.set(key, found)
    }
    if (found !== undefined) keep(found)
    return found?.place
  }
  return () => {
    try {
      return find()
    } catch {
      // `Error` may be frozen, a file may have a name that is none: no reason to stop a workflow.
      return undefined
    }
  }
}

/** A place on the stack. */
interface Frame extends Position {
  /** As the engine of JavaScript names it. */
  readonly file: string
  readonly path: string
}

/** Everything of this package. */
const ownFolder = new URL('../..', import.meta.url).href
const ownPath = fileURLToPath(ownFolder)

/** The innermost frame that is not ours. */
function findFrame(): Frame | undefined {
  const [few, many] = framesMax
  return frameOf(readStack(few).find(isOfUser) ?? readStack(many).find(isOfUser))
}

function isOfUser(site: NodeJS.CallSite): boolean {
  const file = site.getFileName()
  return typeof file === 'string' && !isOwn(file) && pathOf(file) !== undefined
}

function frameOf(site: NodeJS.CallSite | undefined): Frame | undefined {
  // Whoever waits for us has not called us now.
  if (site === undefined || site.isAsync()) return undefined
  const file = site.getFileName() ?? ''
  const path = pathOf(file)
  const [line, column] = [site.getLineNumber(), site.getColumnNumber()]
  if (path === undefined || line === null || column === null) return undefined
  return { file, path, line, column }
}

function isOwn(file: string): boolean {
  return file.startsWith(ownFolder) || file.startsWith(ownPath) || file.startsWith('node:')
}

function pathOf(file: string): string | undefined {
  if (file.startsWith('file:')) return fileURLToPath(file)
  return isAbsolute(file) ? file : undefined
}

/** The frames themselves instead of a text, whatever others have made of stacks. */
function readStack(frames: number): readonly NodeJS.CallSite[] {
  const before = { prepare: Reflect.get(Error, 'prepareStackTrace'), limit: Error.stackTraceLimit }
  const holder: { readonly stack?: readonly NodeJS.CallSite[] } = {}
  try {
    Error.stackTraceLimit = frames
    Error.prepareStackTrace = (_, sites) => sites
    Error.captureStackTrace(holder, readStack)
    return holder.stack ?? []
  } finally {
    Reflect.set(Error, 'prepareStackTrace', before.prepare)
    Error.stackTraceLimit = before.limit
  }
}
