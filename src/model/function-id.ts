/** What identifies a function across processes: kind, name and the version its author gives. */

import { SteleError } from '../base/error.ts'
import { showSubject } from '../base/options.ts'

/** What can be executed. */
export type FunctionKind = 'activity' | 'workflow' | 'machine'

/** The three kinds, for loops. */
export const functionKinds: readonly FunctionKind[] = ['activity', 'workflow', 'machine']

/** Identity of a function. Activities are found by name; the others by name and version. */
export interface FunctionId {
  /** What kind of function it is. */
  readonly kind: FunctionKind
  /** Unique among the functions of an engine. */
  readonly name: string
  /** The user's own word, `'1'` by default; never derived from source. */
  readonly version: string
}

const nameText = /^[A-Za-z][A-Za-z0-9_/-]{0,63}$/
const versionText = /^[A-Za-z0-9._+-]{1,64}$/

/** The text `kind:name:version`, the counterpart of a component digest. */
export function formatFunctionId(id: FunctionId): string {
  return `${id.kind}:${id.name}:${id.version}`
}

/** The same text if it can name a function, else `invalid_name`. */
export function requireFunctionName(name: unknown): string {
  if (typeof name === 'string' && nameText.test(name)) return name
  const advice = 'Begin with a letter; then at most 63 of A-Z a-z 0-9 _ / -.'
  throw invalidName(name, 'name of a function', advice)
}

/** The same text if it can be a version, else `invalid_name`. */
export function requireFunctionVersion(version: unknown): string {
  if (typeof version === 'string' && versionText.test(version)) return version
  throw invalidName(version, 'version of a function', 'Use 1 to 64 of A-Z a-z 0-9 . _ + -.')
}

function invalidName(text: unknown, role: string, advice: string): SteleError {
  return new SteleError('invalid_name', `${showSubject(text)} is not the ${role}. ${advice}`, {
    fields: { name: text },
  })
}
