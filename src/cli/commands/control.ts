/** `stele cancel`, `pause`, `unpause`: commands to executions, one after the other. */

import { colourOption, type Declare, examples } from '../declare.ts'
import { exitCodes } from '../exit-codes.ts'
import { type AnyHandle, findExecution } from '../find-execution.ts'
import { openForWriting, useDatabase } from '../open-database.ts'
import { reportFailure } from '../report-failure.ts'
import type { ColourOption, Session } from '../session.ts'
import { writeLine } from '../world.ts'

interface CancelOptions extends ColourOption {
  readonly reason?: string
}

/** Declares `cancel`. */
export const declareCancel: Declare = (program, session) => {
  program
    .command('cancel')
    .description('cancel executions, their children included')
    .argument('<file>', 'the database')
    .argument('<id...>', 'the executions')
    .option('--reason <text>', 'why; stands in the log')
    .addOption(colourOption())
    .addHelpText('after', examples("cancel app.db order-17 --reason 'the customer left'"))
    .action((file: string, ids: readonly string[], { reason, color }: CancelOptions) =>
      each(session, { file, ids, color }, async (handle) => {
        const end = await handle.cancel(reason === undefined ? {} : { reason })
        return end === 'cancelled' ? 'cancelled' : 'had finished already:'
      }),
    )
}

/** Declares `pause`. */
export const declarePause: Declare = (program, session) => {
  program
    .command('pause')
    .description('pause executions: nobody takes them up before they are unpaused')
    .argument('<file>', 'the database')
    .argument('<id...>', 'the executions')
    .addOption(colourOption())
    .addHelpText('after', examples('pause app.db order-17 order-18'))
    .action((file: string, ids: readonly string[], { color }: ColourOption) =>
      each(session, { file, ids, color }, async (handle) => {
        await handle.pause()
        return 'paused'
      }),
    )
}

/** Declares `unpause`. */
export const declareUnpause: Declare = (program, session) => {
  program
    .command('unpause')
    .description('let paused executions go on')
    .argument('<file>', 'the database')
    .argument('<id...>', 'the executions')
    .addOption(colourOption())
    .addHelpText('after', examples('unpause app.db order-17'))
    .action((file: string, ids: readonly string[], { color }: ColourOption) =>
      each(session, { file, ids, color }, async (handle) => {
        await handle.unpause()
        return 'unpaused'
      }),
    )
}

interface Targets extends ColourOption {
  readonly file: string
  readonly ids: readonly string[]
}

/** One that fails does not keep the others from being done; the last failure gives the code. */
async function each(
  session: Session,
  { file, ids, color }: Targets,
  command: (handle: AnyHandle) => Promise<string>,
): Promise<void> {
  const { world } = session
  await useDatabase(openForWriting(world, file), async (database) => {
    for (const id of ids) {
      try {
        const done = await command(await findExecution(database, id))
        writeLine(world.out, `${done} ${id}`)
      } catch (cause) {
        session.endWith(reportFailure(world, cause, color))
        if (session.exitCode() === exitCodes.database) return
      }
    }
  })
}
