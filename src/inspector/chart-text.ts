/** The words of a chart: what stands in a state and at an arrow, whoever draws them. */

import type { ChartEdge, ChartNode } from './chart.ts'

/** A transition in words: `PAID [isValid and not isLate] / notify`. */
export function transitionText({
  label,
  guards,
  actions,
}: Pick<ChartEdge, 'label' | 'guards' | 'actions'>): string {
  return [
    label,
    ...(guards.length === 0 ? [] : [`[${guards.join(' and ')}]`]),
    ...(actions.length === 0 ? [] : [`/ ${actions.join(', ')}`]),
  ].join(' ')
}

/** What a state does, in words: on the way in, while it is active, on the way out. */
export function textsOfState({ entry, exit, invokes }: ChartNode): readonly string[] {
  return [
    ...entry.map((action) => `entry / ${action}`),
    ...invokes.map(({ id, src }) => (id === src ? `runs ${src}` : `runs ${src} as ${id}`)),
    ...exit.map((action) => `exit / ${action}`),
  ]
}

/** A history state has the letter of statecharts; its key says nothing more. */
export function titleOfState({ key, history }: ChartNode): string {
  if (history === undefined) return key
  return history === 'deep' ? 'H*' : 'H'
}
