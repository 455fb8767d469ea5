/** Whether logs are whole, and whether clocks have jumped while they were written. */

import type { Instant, Milliseconds } from '../../base/time.ts'
import type { EventPlace } from '../../storage/checkup.ts'
import { formatDuration } from '../format-time.ts'
import { countOf, type Finding } from './finding.ts'
import { createTally, type Tallied, type Tally } from './tally.ts'

/** How far clocks may differ before it is worth a word. */
export const clockTolerance: Milliseconds = 1_000

/** Takes events in the order of ids and versions, and says in the end what is wrong. */
export interface LogCheck {
  readonly take: (place: EventPlace) => void
  readonly findings: () => readonly Finding[]
}

/** A check of logs. */
export function createLogCheck(now: Instant): LogCheck {
  const tally = createTally<'hole' | 'back' | 'future'>()
  let previous: EventPlace | undefined
  let largestJump = 0
  const takeAfter = (before: EventPlace, { executionId, version, createdAt }: EventPlace): void => {
    if (version !== before.version + 1) {
      tally.add('hole', `${executionId}: event ${version} follows ${before.version}`)
    }
    const jump = before.createdAt - createdAt
    if (jump <= clockTolerance) return
    largestJump = Math.max(largestJump, jump)
    tally.add('back', `${executionId}: event ${version} by ${formatDuration(jump)}`)
  }
  return {
    take: (place) => {
      const { executionId, version, createdAt } = place
      if (previous?.executionId === executionId) takeAfter(previous, place)
      else if (version !== 0) tally.add('hole', `${executionId}: its first event is ${version}`)
      const ahead = createdAt - now
      if (ahead > clockTolerance) {
        tally.add('future', `${executionId}: event ${version} by ${formatDuration(ahead)}`)
      }
      previous = place
    },
    findings: () => findingsOf(tally, largestJump),
  }
}

function findingsOf(
  tally: Tally<'hole' | 'back' | 'future'>,
  largestJump: Milliseconds,
): readonly Finding[] {
  const holes = tally.get('hole')
  const back = tally.get('back')
  const future = tally.get('future')
  return [
    holes.count === 0 ? whole : holesFinding(holes),
    ...(back.count === 0 ? [] : [backFinding(back, largestJump)]),
    ...(future.count === 0 ? [] : [futureFinding(future)]),
    ...(back.count + future.count === 0 ? [noJumps] : []),
  ]
}

const whole: Finding = { level: 'ok', topic: 'logs', summary: 'Every log is whole.' }
const noJumps: Finding = { level: 'ok', topic: 'clocks', summary: 'No clock has jumped.' }

function holesFinding({ count, examples }: Tallied): Finding {
  return {
    level: 'problem',
    topic: 'logs',
    summary: `Events are missing in ${countOf(count, 'place')} of logs.`,
    examples,
    advice: 'Something other than Stele has removed events; restore the file from a backup.',
  }
}

function backFinding({ count, examples }: Tallied, largest: Milliseconds): Finding {
  return {
    level: 'warning',
    topic: 'clocks',
    summary:
      `${countOf(count, 'event')} written at an earlier time than the one before, ` +
      `by up to ${formatDuration(largest)}.`,
    examples,
    advice: 'The clocks of the machines differ, or one was set back. Due times follow the clocks.',
  }
}

function futureFinding({ count, examples }: Tallied): Finding {
  return {
    level: 'warning',
    topic: 'clocks',
    summary: `${countOf(count, 'event')} written later than now, by the clock of this machine.`,
    examples,
    advice: 'The clock of this machine, or of one that runs an engine, is wrong.',
  }
}
