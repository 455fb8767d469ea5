/** Parts of pages that are made from the code, between two comments. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const top = fileURLToPath(new URL('../..', import.meta.url))

/** The whole path of a file of the repository. */
export function pathOf(path: string): string {
  return join(top, path)
}

/** The text of a file of the repository. */
export function read(path: string): string {
  return readFileSync(pathOf(path), 'utf8')
}

/** A page with its generated sections replaced, as the formatter would have it. */
export function withSections(path: string, sections: Readonly<Record<string, string>>): string {
  const page = Object.entries(sections).reduce(replaceSection, read(path))
  return execFileSync(pathOf('node_modules/.bin/biome'), ['format', `--stdin-file-path=${path}`], {
    cwd: top,
    input: page,
    encoding: 'utf8',
  })
}

function replaceSection(page: string, [name, text]: readonly [string, string]): string {
  const begin = `<!-- generated: ${name} -->`
  const end = `<!-- end: ${name} -->`
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) throw new TypeError(`The page has no section ${name}`)
  return `${page.slice(0, from + begin.length)}\n\n${text.trim()}\n\n${page.slice(to)}`
}

/** A table in Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** A fence in Markdown. */
export function fence(info: string, text: string): string {
  return `\`\`\`${info}\n${text}\n\`\`\``
}
