/** A page has one title, and its links lead somewhere. */
import { posix } from 'node:path'
import type { HouseFile } from './findings.ts'

const fence = /^(`{3,}|~{3,})[\s\S]*?^\1\s*$/gm
const link = /\]\(([^)\s]+)(?:\s+"[^"]*")?\)/g

function prose(text: string): string {
  return text
    .replace(fence, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/`[^`\n]*`/g, '`code`')
}

/** Pages with no title, or with several. */
export function titleFindings({ path, text }: HouseFile): string[] {
  const titles = prose(text).match(/^# \S/gm)?.length ?? 0
  return titles === 1 ? [] : [`${path}: ${titles} titles`]
}

/** The anchor that a heading gets. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
}

function hasAnchor(page: string, anchor: string): boolean {
  const headings = [...page.replace(fence, '').matchAll(/^#{1,6} +(.+)$/gm)].map(
    ([, title = '']) => title,
  )
  return page.includes(`id="${anchor}"`) || headings.some((title) => anchorOf(title) === anchor)
}

/** What a relative link may lead to: the text of a page, or `undefined` where nothing is. */
export type Resolve = (path: string) => string | undefined

/** Relative links that lead to no file, or to no heading of it. */
export function linkFindings(page: HouseFile, resolve: Resolve): string[] {
  return [...prose(page.text).matchAll(link)].flatMap(([, target = '']) => {
    if (/^[a-z][a-z+.-]*:/i.test(target)) return []
    const [file = '', anchor] = target.split('#', 2)
    const path = file === '' ? page.path : posix.join(posix.dirname(page.path), file)
    const text = file === '' ? page.text : resolve(path)
    if (text === undefined) return [`${page.path}: ${target} leads to no file`]
    if (anchor === undefined || hasAnchor(text, anchor)) return []
    return [`${page.path}: ${target} leads to no heading`]
  })
}
