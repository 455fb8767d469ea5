/** Every command, in the order of the help. A new one is one line here. */

import { declareComplete } from './commands/complete.ts'
import { declareCancel, declarePause, declareUnpause } from './commands/control.ts'
import { declareDoctor } from './commands/doctor.ts'
import { declareExplain } from './commands/explain.ts'
import { declareLs } from './commands/ls.ts'
import { declareMachine } from './commands/machine.ts'
import { declareSend } from './commands/send.ts'
import { declareShow } from './commands/show.ts'
import { declareSubmit } from './commands/submit.ts'
import { declareTail } from './commands/tail.ts'
import { declareUi } from './commands/ui.ts'
import type { Declare } from './declare.ts'

/** The commands. */
export const commands: readonly Declare[] = [
  declareLs,
  declareShow,
  declareExplain,
  declareTail,
  declareSubmit,
  declareSend,
  declareCancel,
  declarePause,
  declareUnpause,
  declareComplete,
  declareDoctor,
  declareMachine,
  declareUi,
]
