/** `stele ui`: the viewer in a browser, until it is interrupted. */

import { Option } from 'commander'
import { colourOption, type Declare, examples, integerFrom } from '../declare.ts'
import { requireCurrent, requireFile } from '../open-database.ts'
import type { ColourOption, Session } from '../session.ts'
import { writeLine } from '../world.ts'

interface UiOptions extends ColourOption {
  readonly port: number
  readonly host: string
  readonly token?: string
  readonly actions?: true
  readonly open?: true
}

const portMax = 65_535

/** Declares the command. */
export const declareUi: Declare = (program, session) => {
  program
    .command('ui')
    .description('open the viewer: a local web page; prints its address, and ends with Ctrl-C')
    .argument('<file>', 'the database')
    .option('--port <n>', 'the port to listen on; 0 for a free one', integerFrom(0, portMax), 0)
    .option('--host <address>', 'the address; others than this machine need a --token', '127.0.0.1')
    .addOption(
      new Option(
        '--token <token>',
        'what the address must hold, instead of a new one each time',
      ).env('STELE_UI_TOKEN'),
    )
    .option('--actions', 'let the page cancel, pause, send and complete; it only looks otherwise')
    .option('--open', 'open it in the browser')
    .addOption(colourOption())
    .addHelpText(
      'after',
      [
        examples('ui app.db --open', 'ui app.db --port 4000 --actions'),
        '',
        'Whoever has the address sees everything in the database. From another machine, a tunnel',
        'is safer than --host: ssh -L 4000:127.0.0.1:4000 HOST',
      ].join('\n'),
    )
    .action((file: string, options: UiOptions) => show(session, file, options))
}

async function show(session: Session, file: string, options: UiOptions): Promise<void> {
  const { world } = session
  const { host, port, token, actions = false } = options
  requireFile(file)
  // The page must not migrate either.
  if (actions) await requireCurrent(world, file)
  const { openViewer } = await import('../../inspector/server/open-viewer.ts')
  const { clock, random, scheduler } = world
  const ports = { clock, random, scheduler }
  const viewer = await openViewer({ storage: file, host, port, token, actions, ...ports })
  writeLine(world.out, viewer.url)
  const dim = session.errPaint(options)
  writeLine(world.err, dim('Ctrl-C ends it.', 'dim'))
  if (options.open === true) world.openPage(viewer.url)
  await new Promise<void>((resolve) => {
    const stopListening = world.onInterrupt(() => {
      stopListening()
      resolve()
    })
  })
  await viewer.close()
}
