/** The line of code beside each event of a log: from the texts that were kept with it. */

import type { Client } from '../client/client.ts'
import type { Colour } from '../client/timeline-canvas.ts'
import type { EventView } from '../client/view.ts'
import type { SourcePlace } from '../model/event.ts'
import type { Column } from './table.ts'

/** Least width of a line of code. */
const leastCode = 24

/** Reads the texts that a log speaks of, and makes a column of them. */
export async function sourceColumn(
  client: Pick<Client, 'source'>,
  events: readonly EventView[],
): Promise<Column<EventView>> {
  const lines = await readLines(client, events)
  const first = firstOfEach(events)
  const text = (event: EventView): string => {
    const place = first.get(event)
    return place === undefined ? '' : describePlace(place, lines.get(place.hash))
  }
  return { title: 'SOURCE', text, colour: (): Colour => 'dim', least: leastCode }
}

/** Where an event's call stands, if that was recorded. */
export function placeOf(event: EventView): SourcePlace | undefined {
  return 'source' in event ? event.source : undefined
}

/** The lines of each text, by its hash. */
async function readLines(
  client: Pick<Client, 'source'>,
  events: readonly EventView[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const hashes = new Set(events.flatMap((event) => placeOf(event)?.hash ?? []))
  const lines = new Map<string, readonly string[]>()
  for (const hash of hashes) {
    const source = await client.source(hash)
    if (source !== undefined) lines.set(hash, source.text.split(/\r?\n/))
  }
  return lines
}

/** One call may be several events: the place stands beside the first of them. */
function firstOfEach(events: readonly EventView[]): ReadonlyMap<EventView, SourcePlace> {
  const first = new Map<EventView, SourcePlace>()
  let last: string | undefined
  for (const event of events) {
    const place = placeOf(event)
    if (place === undefined) continue
    const key = `${place.hash}:${place.line}:${place.column}`
    if (key !== last) first.set(event, place)
    last = key
  }
  return first
}

function describePlace(place: SourcePlace, lines: readonly string[] | undefined): string {
  const code = lines?.[place.line - 1]?.trim()
  const where = `${place.file}:${place.line}`
  return code === undefined ? where : `${where}  ${code}`
}
