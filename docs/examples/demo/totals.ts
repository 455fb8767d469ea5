/** What it all came to, in figures. */
import type { Charge } from './ledger.ts'
import type { Palette } from './paint.ts'
import type { Story } from './story.ts'

/** What to sum up. */
export interface TotalsOptions {
  readonly stories: readonly Story[]
  readonly charges: readonly Charge[]
  readonly durationMs: number
  readonly palette: Palette
}

/** The totals, as lines. */
export function drawTotals({ stories, charges, durationMs, palette }: TotalsOptions): string[] {
  const total = (figure: (story: Story) => number): number =>
    stories.reduce((sum, story) => sum + figure(story), 0)
  const ended = (end: Story['end']): number => stories.filter((story) => story.end === end).length
  const keys = new Set(charges.map(({ key }) => key)).size
  const takenOver = stories.filter((story) => story.takenOver).length
  const rows: readonly (readonly [name: string, figure: number | string, note: string])[] = [
    [
      'executions',
      stories.length,
      `${ended('ok')} ok, ${ended('err')} err, ${ended('gave_up')} gave up, ` +
        `${ended('cancelled')} cancelled, ${ended('open')} not finished`,
    ],
    ['events', total(({ events }) => events), 'all of them in the database'],
    [
      'attempts',
      total(({ attempts }) => attempts),
      `${total(({ retries }) => retries)} of them retries`,
    ],
    ['timeouts', total(({ timeouts }) => timeouts), 'attempts that took longer than they may'],
    ['takeovers', takenOver, 'runs that died with worker 1 and went on in worker 2'],
    [
      'charges',
      keys,
      `distinct keys; ${charges.length} requests, so ${charges.length - keys} recognised as repeats`,
    ],
    ['duration', `${(durationMs / 1_000).toFixed(1)} s`, ''],
  ]
  const lines = rows.map(
    ([name, figure, note]) =>
      `${name.padEnd(12)}${palette.bold(String(figure).padStart(6))}  ${palette.dim(note)}`,
  )
  return ['', ...lines.map((line) => line.trimEnd()), '']
}
