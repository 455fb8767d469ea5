/** Every command, in the order of the help. A new one is one line here. */

import { declareLs } from './commands/ls.ts'
import type { Declare } from './declare.ts'

/** The commands. */
export const commands: readonly Declare[] = [declareLs]
