/** `stele tail`: events as they are appended, until it is interrupted. */

import type { Milliseconds } from '../../base/time.ts'
import { formatInstant } from '../../base/time.ts'
import { cut, fit, type Paint, plain, widthOf } from '../../client/timeline-canvas.ts'
import { requireExecutionId } from '../../model/ids.ts'
import { colourOption, type Declare, examples, integerFrom, jsonOption } from '../declare.ts'
import { describeEvent } from '../describe-event.ts'
import { eventColour } from '../event-colour.ts'
import { findExecution } from '../find-execution.ts'
import { type FollowedEvent, followedMax, followLogs } from '../log-follower.ts'
import { type Database, openForReading, pageMax, useDatabase } from '../open-database.ts'
import type { ColourOption, Session } from '../session.ts'
import { writeJson, writeLine } from '../world.ts'

interface TailOptions extends ColourOption {
  readonly lines: number
  readonly json?: true
}

/** How often the database is asked whether anybody has written. */
const tailInterval: Milliseconds = 100
const defaultLines = 10
/** Least width of what is said about an event. */
const leastDetail = 20

/** Declares the command. */
export const declareTail: Declare = (program, session) => {
  program
    .command('tail')
    .description('print events as they are appended; ends with Ctrl-C, or with the execution')
    .argument('<file>', 'the database')
    .argument('[id]', 'only of this execution; otherwise of all, children included')
    .option(
      '-n, --lines <n>',
      'events of the execution to begin with',
      integerFrom(0, pageMax),
      defaultLines,
    )
    .addOption(jsonOption('print JSON, one event a line'))
    .addOption(colourOption())
    .addHelpText(
      'after',
      examples(
        'tail app.db',
        'tail app.db order-17 -n 100',
        `tail app.db --json | jq -c 'select(.type == "finished")'`,
      ),
    )
    .action((file: string, id: string | undefined, options: TailOptions) =>
      tail(session, { file, id }, options),
    )
}

async function tail(
  session: Session,
  { file, id }: { readonly file: string; readonly id: string | undefined },
  options: TailOptions,
): Promise<void> {
  const { world } = session
  await useDatabase(openForReading(world, file), async (database) => {
    if (id !== undefined) await findExecution(database, id)
    const follower = await followLogs({
      driver: database.driver,
      executionId: id === undefined ? undefined : requireExecutionId(id),
      lines: options.lines,
      isStored: options.json === true,
      now: world.clock.now(),
    })
    if (follower.isCut) writeLine(world.err, `Only ${followedMax} open executions are followed.`)
    const draw = createLineDrawer(session.width, session.paint(options))
    await untilInterrupted(session, database, async () => {
      for (const followed of await follower.read()) {
        if (options.json === true) writeJson(world.out, flat(followed))
        else writeLine(world.out, draw(followed))
      }
      return follower.isOver()
    })
  })
}

/** Looks at once, and then whenever somebody has written, until there is nothing more to come. */
function untilInterrupted(
  { world }: Session,
  { driver }: Database,
  look: () => Promise<boolean>,
): Promise<void> {
  const { scheduler } = world
  return new Promise((resolve, reject) => {
    let isDone = false
    let stopTimer = (): void => undefined
    const stopListening = world.onInterrupt(() => {
      end(resolve)
    })
    const end = (settle: () => void): void => {
      if (isDone) return
      isDone = true
      stopTimer()
      stopListening()
      settle()
    }
    const again = (): void => {
      if (isDone) return
      stopTimer = scheduler.after(tailInterval, () => {
        if (driver.hasForeignChanges()) lookOnce()
        else again()
      })
    }
    const lookOnce = (): void => {
      look().then(
        (isOver) => {
          if (isOver) end(resolve)
          else again()
        },
        (cause: unknown) => {
          // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- as it was thrown
          end(() => reject(cause))
        },
      )
    }
    lookOnce()
  })
}

function flat({ executionId, event }: FollowedEvent): object {
  return { executionId, ...event }
}

/** Columns of the type of an event; ids are as wide as the widest so far. */
const typeWidth = 22

/** Draws events below each other, though nobody knows how wide those to come will be. */
function createLineDrawer(width: number, paint: Paint): (followed: FollowedEvent) => string {
  let idWidth = 0
  return ({ executionId, event }) => {
    idWidth = Math.max(idWidth, widthOf(executionId))
    const time = formatInstant(event.createdAt).slice(11, 23)
    const id = fit(executionId, idWidth)
    const type = fit(event.type, typeWidth)
    const left = width - time.length - idWidth - typeWidth - 6
    const detail = cut(plain(describeEvent(event)), Math.max(leastDetail, left))
    const line = `${paint(time, 'dim')}  ${id}  ${paint(type, eventColour(event))}  ${detail}`
    return line.trimEnd()
  }
}
