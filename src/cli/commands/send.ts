/** `stele send`: a message to a workflow. */

import { colourOption, type Declare, examples } from '../declare.ts'
import { findExecution } from '../find-execution.ts'
import { openForWriting, useDatabase } from '../open-database.ts'
import { readJson } from '../read-json.ts'
import type { ColourOption, Session } from '../session.ts'
import { writeLine } from '../world.ts'

interface SendCommandOptions extends ColourOption {
  readonly payload?: string
  readonly messageId?: string
}

interface Target {
  readonly file: string
  readonly id: string
  readonly channel: string
}

/** Declares the command. */
export const declareSend: Declare = (program, session) => {
  program
    .command('send')
    .description('send a message to a workflow; it is kept until the workflow asks for it')
    .argument('<file>', 'the database')
    .argument('<id>', 'the execution')
    .argument('<channel>', 'the channel, one of the `messages` of the workflow')
    .option('--payload <json>', 'what is sent; @FILE reads it from a file, - from the input')
    .option('--message-id <id>', 'a message of the same id in the channel is delivered once')
    .addOption(colourOption())
    .addHelpText(
      'after',
      [
        examples(`send app.db order-17 approve --payload '{"by":"ann"}'`),
        '',
        'The command line does not know the channels of the workflow, nor their schemas.',
      ].join('\n'),
    )
    .action((file: string, id: string, ...[channel, options]: [string, SendCommandOptions]) =>
      send(session, { file, id, channel }, options),
    )
}

async function send(
  session: Session,
  { file, id, channel }: Target,
  options: SendCommandOptions,
): Promise<void> {
  const { world } = session
  const payload = await readJson(world, options.payload, '--payload')
  await useDatabase(openForWriting(world, file), async (database) => {
    const handle = await findExecution(database, id)
    const { messageId } = options
    await handle.send(channel, payload, messageId === undefined ? {} : { id: messageId })
    writeLine(world.out, `sent ${channel} to ${id}`)
  })
}
