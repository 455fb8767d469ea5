/** Which floor of the house imports which, as a Mermaid graph made from the imports themselves. */
import { readdirSync } from 'node:fs'
import { posix } from 'node:path'
import { pathOf, read } from './section.ts'

/** Ground first, as the tests of the house have them. */
const floors: readonly (readonly [name: string, path: RegExp])[] = [
  ['base', /^src\/base\//],
  ['model', /^src\/model\//],
  ['machines', /^machines\//],
  ['storage', /^src\/storage\/[^/]+$/],
  ['adapters', /^src\/storage\/\w+\//],
  ['engine', /^src\/engine\//],
  ['workers', /^src\/workers\//],
  ['client', /^src\/client\//],
  ['inspector', /^src\/inspector\//],
  ['cli', /^src\/cli\//],
  ['faces', /^src\/[^/]+$/],
]

/** The floors and their arrows. An arrow that follows from others is left out. */
export function drawFloors(): string {
  const files = ['src', 'machines'].flatMap((folder) =>
    readdirSync(pathOf(folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`),
  )
  const arrows = new Map<string, Set<string>>()
  for (const file of files) {
    for (const [, target = ''] of read(file).matchAll(/\b(?:from|import\()\s*'(\.[^']+)'/g)) {
      const from = floorOf(file)
      const to = floorOf(posix.join(posix.dirname(file), target))
      if (from !== to) arrows.set(from, (arrows.get(from) ?? new Set()).add(to))
    }
  }
  const names = floors.map(([name]) => name).toReversed()
  const lines = names.flatMap((from) =>
    names
      .filter((to) => arrows.get(from)?.has(to) === true && !isImplied(arrows, from, to))
      .map((to) => `  ${from} --> ${to}`),
  )
  return ['graph TD', ...lines].join('\n')
}

function floorOf(path: string): string {
  const [name] = floors.find(([, pattern]) => pattern.test(path)) ?? []
  if (name === undefined) throw new TypeError(`${path} stands on no floor`)
  return name
}

type Arrows = ReadonlyMap<string, ReadonlySet<string>>

function isImplied(arrows: Arrows, from: string, to: string): boolean {
  return [...(arrows.get(from) ?? [])].some((via) => via !== to && reaches(arrows, via, to))
}

function reaches(arrows: Arrows, from: string, to: string): boolean {
  const next = [...(arrows.get(from) ?? [])]
  return next.includes(to) || next.some((via) => reaches(arrows, via, to))
}
