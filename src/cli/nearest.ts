/** Names that are nearly the one that was asked for. */

/** Names suggested at most. */
const suggestedMax = 3
/** Longest name that is compared letter by letter. */
const comparedLengthMax = 200

/** The names nearest to a text, best first; none when nothing comes near. */
export function nearestNames(text: string, names: readonly string[]): readonly string[] {
  const wanted = text.toLowerCase()
  const farthest = Math.max(2, Math.floor(text.length / 3))
  return [...new Set(names)]
    .map((name) => ({ name, distance: distanceOf(wanted, name.toLowerCase()) }))
    .filter(({ distance }) => distance <= farthest)
    .toSorted((left, right) => left.distance - right.distance)
    .slice(0, suggestedMax)
    .map(({ name }) => name)
}

/** ` Did you mean a, b?`, or nothing. */
export function suggestion(names: readonly string[]): string {
  return names.length === 0 ? '' : ` Did you mean ${names.join(', ')}?`
}

/** A name that begins or ends with the text is near, whatever else it has. */
function distanceOf(wanted: string, name: string): number {
  if (wanted.length > 0 && (name.startsWith(wanted) || name.endsWith(wanted))) return 1
  return editsBetween(wanted.slice(0, comparedLengthMax), name.slice(0, comparedLengthMax))
}

/** Letters to be added, dropped or exchanged to make one text of the other. */
function editsBetween(left: string, right: string): number {
  let above = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (const [row, letter] of left.split('').entries()) {
    const current = [row + 1]
    for (let column = 0; column < right.length; column += 1) {
      const exchanged = (above[column] ?? 0) + (letter === right[column] ? 0 : 1)
      const dropped = (above[column + 1] ?? 0) + 1
      const added = (current[column] ?? 0) + 1
      current.push(Math.min(exchanged, dropped, added))
    }
    above = current
  }
  return above[right.length] ?? left.length
}
