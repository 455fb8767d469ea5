/** A page as something that can be carried out: files to write, and a console to follow. */

/** A program that the page shows: ```` ```ts file=charge.ts ````. */
interface FileBlock {
  readonly kind: 'file'
  readonly name: string
  readonly text: string
}

/** A console session that the page shows: ```` ```console ````. */
interface ConsoleBlock {
  readonly kind: 'console'
  readonly steps: readonly Step[]
}

/** A command, and what the page says that it prints. */
interface Step {
  readonly command: string
  readonly output: string
}

/** What a reader would do, in order. */
export type Block = FileBlock | ConsoleBlock

/** A fence of a page: its info string, and what is in it. */
export interface Fence {
  readonly info: string
  readonly text: string
}

/** Every fence of a page. */
export function fencesOf(page: string): readonly Fence[] {
  return [...page.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)].map(([, info = '', text = '']) => ({
    info: info.trim(),
    text,
  }))
}

/** What of a page can be carried out. */
export function blocksOf(page: string): readonly Block[] {
  return fencesOf(page).flatMap(({ info, text }): Block[] => {
    const [, name] = /^ts file=(\S+)$/.exec(info) ?? []
    if (name !== undefined) return [{ kind: 'file', name, text }]
    return info === 'console' ? [{ kind: 'console', steps: stepsOf(text) }] : []
  })
}

function stepsOf(text: string): readonly Step[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = '', ...lines] = part.trimEnd().split('\n')
      return { command: command.trim(), output: lines.join('\n') }
    })
}

/** Ids, times and process numbers differ between runs; the rest must not. */
export function normalised(text: string): string {
  return text
    .replace(/\b(E|Exr|Run|Dep)_[0-9A-HJKMNP-TV-Z]{26}\b/g, '$1_…')
    .replace(/\b\d+ ms\b/g, '… ms')
    .replace(/\bprocess \d+\b/g, 'process …')
    .replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, '…Z')
    .trim()
}
