/**
 * A file of code that runs → the files it was written in: their texts, and which line and column a
 * place of it came from. Source maps are read where the code is read, and never asked for twice.
 */

import { readFileSync } from 'node:fs'
import { findSourceMap, SourceMap } from 'node:module'
import { isAbsolute, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { hashText } from '../../base/hash.ts'
import { readMember } from '../../base/options.ts'
import type { SourcePlace } from '../../model/event.ts'
import type { SourceText } from '../../storage/sources.ts'

/** A position in a file, both from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** A file of code that runs. */
export interface SourceFile {
  /** Where a position of it was written, and the text that it stands in. */
  readonly find: (position: Position) => FoundPlace | undefined
}

/** A place, and the text of its file. */
export interface FoundPlace {
  readonly place: SourcePlace
  readonly text: SourceText
}

/** Reads a file; `undefined` when it cannot be read. Names are given relative to `folder`. */
export function openSourceFile(path: string, folder: string): SourceFile | undefined {
  const text = readText(path)
  if (text === undefined) return undefined
  const own = describe({ path, text, folder })
  const map = findMap(path, text)
  if (map === undefined) return { find: (position) => placeIn(own, position) }
  const originals = new Map<string, SourceText | undefined>()
  return {
    find: (position) => {
      const origin = originOf(map.map, position)
      if (origin === undefined) return placeIn(own, position)
      if (!originals.has(origin.source)) {
        originals.set(origin.source, readOriginal(map, origin.source, folder))
      }
      const original = originals.get(origin.source)
      return original === undefined ? placeIn(own, position) : placeIn(original, origin)
    },
  }
}

function placeIn(text: SourceText, { line, column }: Position): FoundPlace {
  const { file, hash } = text
  return { place: { file, line, column, hash }, text }
}

interface Described {
  readonly path: string
  readonly text: string
  readonly folder: string
}

function describe({ path, text, folder }: Described): SourceText {
  const below = relative(folder, path)
  const isOutside = below === '' || below.startsWith('..') || isAbsolute(below)
  return { hash: hashOf(text), file: isOutside ? path : below, text }
}

/** 64 bits: a process has some thousands of files at most. */
function hashOf(text: string): string {
  return [0, 1].map((seed) => hashText(text, seed).toString(16).padStart(8, '0')).join('')
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

// ── source maps ─────────────────────────────────────────────────────────────────────────────────

interface FoundMap {
  readonly map: SourceMap
  /** What the names of its sources are relative to. */
  readonly base: URL
}

/** The map that Node knows, when it was told to look for maps; else the one the file names. */
function findMap(path: string, text: string): FoundMap | undefined {
  try {
    const known = findSourceMap(path)
    if (known !== undefined) return { map: known, base: pathToFileURL(path) }
    return readMap(path, text)
  } catch {
    // A map that cannot be read is as good as none: then places are those of the code that runs.
    return undefined
  }
}

/** The last one counts; a file may quote others. */
const mapComment = /^\/\/[#@] sourceMappingURL=(\S+)\s*$/gm
const inlineMap = /^data:application\/json[^,]*?(;base64)?,/

function readMap(path: string, text: string): FoundMap | undefined {
  const [, named] = [...text.matchAll(mapComment)].at(-1) ?? []
  if (named === undefined) return undefined
  const inline = inlineMap.exec(named)
  const file = pathToFileURL(path)
  if (inline !== null) {
    const body = named.slice(inline[0].length)
    const json =
      inline[1] === undefined
        ? decodeURIComponent(body)
        : Buffer.from(body, 'base64').toString('utf8')
    return { map: parseMap(json), base: file }
  }
  const base = new URL(named, file)
  return { map: parseMap(readFileSync(fileURLToPath(base), 'utf8')), base }
}

function parseMap(json: string): SourceMap {
  // oxlint-disable-next-line typescript/no-unsafe-argument -- Node judges what it holds
  return new SourceMap(JSON.parse(json))
}

interface Origin extends Position {
  readonly source: string
}

function originOf(map: SourceMap, { line, column }: Position): Origin | undefined {
  const entry = map.findEntry(line - 1, column - 1)
  if (!('originalSource' in entry)) return undefined
  const { originalSource, originalLine, originalColumn } = entry
  if (typeof originalSource !== 'string' || originalSource === '') return undefined
  return { source: originalSource, line: originalLine + 1, column: originalColumn + 1 }
}

/** From the map itself where it carries the text, else from the file that it names. */
function readOriginal(
  { map, base }: FoundMap,
  source: string,
  folder: string,
): SourceText | undefined {
  const { sources, sourcesContent, sourceRoot } = map.payload
  const root = typeof sourceRoot === 'string' && sourceRoot !== '' ? `${sourceRoot}/` : ''
  const path = pathOf(root + source, base) ?? source
  const carried: unknown = readMember(sourcesContent, String(sources.indexOf(source)))
  const text = typeof carried === 'string' ? carried : readText(path)
  return text === undefined ? undefined : describe({ path, text, folder })
}

/** A name of a source may be a URL, a path, or a path relative to the map. */
function pathOf(name: string, base: URL): string | undefined {
  if (isAbsolute(name)) return name
  try {
    const url = new URL(name, base)
    return url.protocol === 'file:' ? fileURLToPath(url) : undefined
  } catch {
    return undefined
  }
}
