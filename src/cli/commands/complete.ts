/** `stele complete`: the end of a stub, which is completed from outside. */

import { SteleError } from '../../base/error.ts'
import { invalidOption } from '../../base/options.ts'
import type { Outcome } from '../../model/outcome.ts'
import { listExecutors } from '../../storage/registry.ts'
import { colourOption, type Declare, examples } from '../declare.ts'
import { findExecution } from '../find-execution.ts'
import { type Database, openForWriting, useDatabase } from '../open-database.ts'
import { readJson } from '../read-json.ts'
import type { ColourOption, Session } from '../session.ts'
import { type World, writeLine } from '../world.ts'

interface CompleteOptions extends ColourOption {
  readonly ok?: string | true
  readonly err?: string | true
  readonly failure?: string
  readonly force?: true
}

/** Declares the command. */
export const declareComplete: Declare = (program, session) => {
  program
    .command('complete')
    .description('end a stub: with a value, an error of its own, or a failure')
    .argument('<file>', 'the database')
    .argument('<id>', 'the execution')
    .option('--ok [json]', 'it succeeded, with this value; @FILE and - as for `submit`')
    .option('--err [json]', 'it said no, with this value')
    .option('--failure <reason>', 'it will never succeed')
    .option('--force', 'though engines execute the function, so that it seems to be no stub')
    .addOption(colourOption())
    .addHelpText(
      'after',
      examples(
        `complete app.db order-17.o:1-approval_1 --ok '{"by":"ann"}'`,
        `complete app.db order-17.o:1-approval_1 --failure 'nobody answered'`,
      ),
    )
    .action((file: string, id: string, options: CompleteOptions) =>
      complete(session, { file, id }, options),
    )
}

async function complete(
  session: Session,
  { file, id }: { readonly file: string; readonly id: string },
  options: CompleteOptions,
): Promise<void> {
  const { world } = session
  const outcome = await readOutcomeOptions(world, options)
  await useDatabase(openForWriting(world, file), async (database) => {
    await findExecution(database, id)
    if (options.force !== true) await requireStub(database, id)
    await database.engine.complete(id, outcome)
    writeLine(world.out, `completed ${id}: ${outcome.type}`)
  })
}

async function readOutcomeOptions(world: World, options: CompleteOptions): Promise<Outcome> {
  const { ok, err, failure } = options
  const given = [ok, err, failure].filter((option) => option !== undefined)
  if (given.length !== 1) {
    throw invalidOption('--ok, --err and --failure', 'exclude each other; give one of them')
  }
  if (failure !== undefined) {
    return { type: 'execution_failure', kind: 'uncategorized', reason: failure }
  }
  const [type, text, name] =
    ok === undefined ? (['err', err, '--err'] as const) : (['ok', ok, '--ok'] as const)
  return { type, value: await readJson(world, text === true ? undefined : text, name) }
}

/** Executors looked at: those heard of last. */
const executorsMax = 1_000

/** Who executes a function does not wait for its completion from outside. */
async function requireStub({ engine, driver }: Database, id: string): Promise<void> {
  const { execution } = await (await engine.get(id)).tree({ limit: 1 })
  const { functionName } = execution
  const executors = await driver.read(() => listExecutors(executorsMax))
  const executor = executors.find(({ functions }) => functions.includes(functionName))
  if (executor === undefined) return
  throw new SteleError(
    'illegal_state',
    `${id} does not seem to be a stub: executor ${executor.executorId} executes ${functionName}. ` +
      'Let it run, or say --force if you know better.',
    { fields: { executionId: id, functionName } },
  )
}
