/** What a commit did to one execution, as lines of the trace. */

import type { ExecutionChange } from './invariant.ts'

/** A text for each event and each response. */
export function describeChange(change: ExecutionChange): readonly string[] {
  const { executionId, steps, responses } = change
  const events = steps.map(({ entry: { event, version } }) => {
    const how = event.type === 'finished' ? ` ${event.outcome.type}` : ''
    return `${executionId} v${version} ${event.type}${how}`
  })
  const arrived = responses.map(
    ({ response, cursor }) => `${executionId} <- ${response.type} (cursor ${cursor})`,
  )
  return [...events, ...arrived]
}
