/** Figures for people. Pure. */

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const

/** A duration in at most two units: `350 ms`, `1.2 s`, `3 min 20 s`, `2 d 4 h`. */
export function formatDuration(milliseconds: number): string {
  const length = Math.max(0, milliseconds)
  if (length < 1_000) return `${Math.round(length)} ms`
  if (length < 60_000) return `${(length / 1_000).toFixed(length < 10_000 ? 2 : 1)} s`
  const index = units.findIndex(([, size]) => length >= size)
  const [unit, size] = units[index] ?? units[3]
  const [smaller, smallerSize] = units[index + 1] ?? units[3]
  const whole = Math.floor(length / size)
  const rest = Math.floor((length - whole * size) / smallerSize)
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${smaller}`
}

/** How long ago, or how soon: `3 s ago`, `in 2 h`. */
export function formatAge(instant: number, now: number): string {
  const age = now - instant
  if (Math.abs(age) < 1_000) return 'now'
  return age > 0 ? `${coarse(age)} ago` : `in ${coarse(-age)}`
}

function coarse(length: number): string {
  const [unit, size] = units.find(([, least]) => length >= least) ?? units[3]
  return `${Math.floor(length / size)} ${unit}`
}

/** A whole number with its thousands apart. */
export function formatCount(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ' ')
}

/** Words for people: `pending_at` is `pending at`. */
export function spaced(word: string): string {
  return word.replaceAll('_', ' ')
}

/** What of a child's id its parent's does not say. */
export function ownPart(id: string, parentId: string | undefined): string {
  return parentId !== undefined && id.startsWith(`${parentId}.`)
    ? id.slice(parentId.length + 1)
    : id
}
