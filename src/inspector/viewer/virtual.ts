/** Which rows of a long list are seen. Pure. */

/** Part of a list: from `first` up to, and without, `end`. */
export interface RowWindow {
  readonly first: number
  readonly end: number
}

/** What is seen of a list. */
export interface Viewport {
  readonly scrollTop: number
  readonly height: number
  readonly rowHeight: number
  readonly count: number
}

/** Rows drawn beyond what is seen, so that scrolling meets no gaps. */
const margin = 12

/** The rows that are to be drawn. */
export function rowWindow({ scrollTop, height, rowHeight, count }: Viewport): RowWindow {
  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - margin)
  const end = Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + margin)
  return { first: Math.min(first, Math.max(0, count - 1)), end: Math.max(0, end) }
}

/** Where to scroll so that a row is seen; the same place when it is seen already. */
export function scrollTo(row: number, { scrollTop, height, rowHeight }: Viewport): number {
  const top = row * rowHeight
  if (top < scrollTop) return top
  const bottom = top + rowHeight
  return bottom > scrollTop + height ? bottom - height : scrollTop
}

/** The pages of a list that a window touches. */
export function pagesOf({ first, end }: RowWindow, pageSize: number): readonly number[] {
  const from = Math.floor(first / pageSize)
  const to = Math.ceil(end / pageSize)
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index)
}
