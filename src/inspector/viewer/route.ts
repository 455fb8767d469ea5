/** Where the viewer is, as the hash of its URL. Pure: text in, text out. */

/** A page of the viewer, with what it is about. */
export interface Route {
  readonly page: 'executions' | 'execution' | 'executors' | 'machines' | 'missing'
  /** The execution; empty on other pages. */
  readonly id: string
  readonly query: Readonly<Record<string, string>>
}

const pages = ['executions', 'executors', 'machines'] as const

/** Reads a hash, with or without its `#`. */
export function parseRoute(hash: string): Route {
  const [path = '', search = ''] = split(hash.replace(/^#\/?/, ''), '?')
  const query = Object.fromEntries(new URLSearchParams(search))
  const [name = '', rest = ''] = split(path, '/')
  if (name === '') return { page: 'executions', id: '', query }
  if (name === 'execution') return { page: 'execution', id: decode(rest), query }
  const page = pages.find((known) => known === name) ?? 'missing'
  return { page, id: '', query }
}

/** Writes a hash. Empty values are left out. */
export function formatRoute(
  page: Route['page'],
  { id = '', query = {} }: { id?: string; query?: Readonly<Record<string, string>> } = {},
): string {
  const given = Object.entries(query).filter(([, value]) => value !== '')
  const search = new URLSearchParams(given).toString()
  const path = page === 'execution' ? `execution/${encodeURIComponent(id)}` : page
  return `#/${path}${search === '' ? '' : `?${search}`}`
}

/** The address of an execution, at a version if one is given. */
export function executionHref(id: string, version?: number): string {
  const query = version === undefined ? {} : { v: String(version) }
  return formatRoute('execution', { id, query })
}

function split(text: string, mark: string): readonly string[] {
  const index = text.indexOf(mark)
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)]
}

/** A hash may be typed by hand, and hold an escape that is none. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
