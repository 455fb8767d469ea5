/** The statechart of an execution, at the moment that the page shows. */

import type { JSX } from 'preact'
import type { ChartAnswer } from '../server/wire.ts'
import { questionOf } from './api.ts'
import { ChartPicture } from './chart-picture.tsx'
import { about, useAnswer } from './hooks.ts'
import { Loading, Problem } from './parts.tsx'

/** The chart, with the state after an event, and the way that the event took. */
export function ChartView(props: { readonly id: string; readonly version: number }): JSX.Element {
  const { id, version } = props
  const { answer, error } = useAnswer<ChartAnswer>(questionOf('chart', { id }), about(id))
  if (answer === undefined) return error === undefined ? <Loading /> : <Problem error={error} />
  const { chart, actives, activeAt, takens, takenAt } = answer
  const at = Math.min(version, activeAt.length - 1)
  const active = actives[activeAt[at] ?? -1] ?? []
  const taken = takens[takenAt[at] ?? -1] ?? []
  return <ChartPicture chart={chart} active={active} taken={taken} />
}
