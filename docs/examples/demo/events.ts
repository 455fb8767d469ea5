/** One execution, event by event, with what its function logged in between. */
import type { EventView, Handle } from 'stele'
import type { Charge } from './ledger.ts'
import { type Palette, shorten } from './paint.ts'
import type { Killed } from './story.ts'

/** A line of the list, at its time. */
interface Line {
  readonly at: number
  readonly version: string
  readonly what: string
  readonly note: string
}

/** What happened besides, and how to show it. */
interface EventsOptions extends Killed {
  readonly charges: readonly Charge[]
  readonly palette: Palette
  readonly columns: number
}

/** The events of an execution, as lines. */
export async function tellEvents(
  handle: Handle<unknown>,
  { charges, columns, palette, killedAt }: EventsOptions,
): Promise<readonly string[]> {
  const { events } = await handle.log()
  const zero = events[0]?.createdAt ?? 0
  const logged = (await handle.logs()).map(
    ({ createdAt, level, message }): Line => ({
      at: createdAt,
      version: '',
      what: `log ${level}`,
      note: `“${message}”`,
    }),
  )
  const killed: Line = { at: killedAt, version: '', what: 'kill -9', note: 'worker 1 is gone' }
  const told = events.map((entry, index) => describe(entry, events[index - 1], killedAt))
  const noted = charges
    .filter(({ key }) => key === handle.id)
    .map(({ at, cents }, index): Line => {
      const note = index === 0 ? `${cents} cents are taken` : 'the key is known: nothing is taken'
      return { at, version: '', what: 'ledger', note }
    })
  const lines = [...told, ...logged, ...noted, killed]
  return [
    '',
    palette.bold(`${handle.id}, event by event`),
    ...lines
      .toSorted((left, right) => left.at - right.at)
      .map((line) => {
        const paint = paintOf(line, palette)
        const time = `+${((line.at - zero) / 1_000).toFixed(2)} s`.padStart(9)
        const text = `${line.version.padStart(3)} ${time}  ${line.what.padEnd(22)}${line.note}`
        return paint(shorten(text, columns))
      }),
  ]
}

function paintOf({ version, what }: Line, palette: Palette): (text: string) => string {
  if (what === 'kill -9') return palette.magenta
  if (what === 'ledger') return palette.green
  return version === '' ? palette.dim : String
}

function describe(entry: EventView, before: EventView | undefined, killedAt: number): Line {
  const { version, createdAt: at, type: what } = entry
  const worker = at < killedAt ? 'worker 1' : 'worker 2'
  const isRenewal =
    entry.type === 'locked' && before?.type === 'locked' && before.runId === entry.runId
  const note = isRenewal ? `renewed by ${worker}` : noteOf(entry, worker)
  return { at, version: String(version), what, note }
}

function noteOf(entry: EventView, worker: string): string {
  const wait = (until: number): string => `due again in ${until - entry.createdAt} ms`
  if (entry.type === 'created') return `${entry.function.name}(${JSON.stringify(entry.input)})`
  if (entry.type === 'locked') {
    return `by ${worker}, for ${entry.lockExpiresAt - entry.createdAt} ms`
  }
  if (entry.type === 'temporarily_failed') return `${entry.reason}; ${wait(entry.backoffExpiresAt)}`
  if (entry.type === 'temporarily_timed_out') return wait(entry.backoffExpiresAt)
  return entry.type === 'finished' ? JSON.stringify(entry.outcome) : ''
}
