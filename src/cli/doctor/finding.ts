/** What a check-up finds, and what it all amounts to. */

/** How serious it is: as it should be, good to know, worth a look, or wrong. */
export type FindingLevel = 'ok' | 'note' | 'warning' | 'problem'

/** One thing that was found. */
export interface Finding {
  readonly level: FindingLevel
  /** Which part of the check-up found it. */
  readonly topic: 'file' | 'pages' | 'executions' | 'logs' | 'engines' | 'clocks' | 'size'
  /** One sentence. */
  readonly summary: string
  /** The first of those it is about, with the reason of each. */
  readonly examples?: readonly string[]
  /** What to do about it. */
  readonly advice?: string
}

/** What it all amounts to. */
export interface Verdict {
  readonly isHealthy: boolean
  /** One sentence. */
  readonly summary: string
}

/** Examples shown with one finding. */
export const examplesMax = 5

/** The verdict: problems make it ill, warnings do not. */
export function judge(findings: readonly Finding[]): Verdict {
  const count = (level: FindingLevel): number =>
    findings.filter((finding) => finding.level === level).length
  const problems = count('problem')
  const warnings = count('warning')
  const alsoWarnings = warnings === 0 ? '' : `, and ${countOf(warnings, 'warning')}`
  if (problems > 0) {
    return { isHealthy: false, summary: `${countOf(problems, 'problem')}${alsoWarnings}` }
  }
  return { isHealthy: true, summary: `healthy${alsoWarnings.replace(', and', ', with')}` }
}

/** `1 event`, `3 events`. */
export function countOf(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}

/** `3 executions are` or `1 execution is`. */
export function countIs(count: number, noun: string): string {
  return `${countOf(count, noun)} ${count === 1 ? 'is' : 'are'}`
}
