/** Time on a line of pixels: zoom, round marks, and what is too close together to be told apart. */

/** A stretch of time, in milliseconds since 1970. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** The shortest stretch that can be seen. */
const spanMin = 1
/** Pixels from one mark of the scale to the next, at least. */
const tickGap = 90

/** The place of an instant on a line of so many pixels. */
export function placeOf(at: number, { from, to }: Span, width: number): number {
  return ((at - from) / Math.max(spanMin, to - from)) * width
}

/** The instant at a place. */
export function instantAt(x: number, { from, to }: Span, width: number): number {
  return from + (x / Math.max(1, width)) * (to - from)
}

/** A stretch `factor` times as long around an instant, within the whole. */
export function zoom(span: Span, factor: number, { at, whole }: { at: number; whole: Span }): Span {
  const length = Math.max(spanMin, (span.to - span.from) * factor)
  if (length >= whole.to - whole.from) return whole
  const share = (at - span.from) / Math.max(spanMin, span.to - span.from)
  return within({ from: at - share * length, to: at + (1 - share) * length }, whole)
}

/** The stretch, moved by a share of its length, within the whole. */
export function pan(span: Span, share: number, whole: Span): Span {
  const by = (span.to - span.from) * share
  return within({ from: span.from + by, to: span.to + by }, whole)
}

function within({ from, to }: Span, whole: Span): Span {
  const length = Math.min(to - from, whole.to - whole.from)
  const start = Math.min(Math.max(from, whole.from), whole.to - length)
  return { from: start, to: start + length }
}

const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500]
const longer = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 43_200]
const day = 86_400

/** Offsets of round marks from the beginning of the whole, that fall into a stretch. */
export function ticksOf(span: Span, origin: number, width: number): readonly number[] {
  const most = Math.max(1, Math.floor(width / tickGap))
  const least = Math.max(spanMin, span.to - span.from) / most
  const choices = [...steps, ...longer.map((seconds) => seconds * 1_000)]
  const dayLength = day * 1_000
  const step = choices.find((choice) => choice >= least) ?? Math.ceil(least / dayLength) * dayLength
  const first = Math.ceil((span.from - origin) / step) * step
  const count = Math.floor((span.to - origin - first) / step) + 1
  return Array.from({ length: Math.max(0, count) }, (_, index) => first + index * step)
}

/** Pixels between two marks of a kind, at least: closer ones cannot be told apart. */
const markGap = 7

/** One of each kind where there is room for one. */
export function thinMarks<Mark extends { readonly kind: string; readonly at: number }>(
  marks: readonly Mark[],
  span: Span,
  width: number,
): readonly Mark[] {
  const taken = new Set<string>()
  return marks.filter(({ kind, at }) => {
    if (at < span.from || at > span.to) return false
    const key = `${kind}:${Math.round(placeOf(at, span, width) / markGap)}`
    if (taken.has(key)) return false
    taken.add(key)
    return true
  })
}

/** A piece of a row: from one pixel to another. */
export interface Piece {
  readonly doing: string
  readonly x: number
  readonly width: number
}

/** Stretches as pieces; those of a kind that touch are one, and none is too thin to be seen. */
export function piecesOf(
  stretches: readonly { readonly doing: string; readonly from: number; readonly to: number }[],
  span: Span,
  width: number,
): readonly Piece[] {
  const pieces: { doing: string; x: number; width: number }[] = []
  for (const { doing, from, to } of stretches) {
    if (to < span.from || from > span.to) continue
    const x = Math.max(0, placeOf(from, span, width))
    const end = Math.min(width, placeOf(to, span, width))
    const last = pieces.findLast((piece) => piece.doing === doing)
    if (last !== undefined && x - (last.x + last.width) < 0.5) {
      last.width = Math.max(last.width, end - last.x)
    } else pieces.push({ doing, x, width: Math.max(end - x, 1.5) })
  }
  return pieces
}
