/** `stele submit`: a new execution of a function that some engine executes. */

import { Option } from 'commander'
import { SteleError } from '../../base/error.ts'
import type { Duration } from '../../base/time.ts'
import { type FunctionId, type FunctionKind, functionKinds } from '../../model/function-id.ts'
import type { RegisteredFunction } from '../../storage/registry.ts'
import { listFunctions } from '../../storage/registry.ts'
import { type FunctionRef, functionRef } from '../../workers/function-ref.ts'
import { colourOption, type Declare, examples, jsonOption } from '../declare.ts'
import { nearestNames, suggestion } from '../nearest.ts'
import { openForWriting, useDatabase } from '../open-database.ts'
import { readJson } from '../read-json.ts'
import type { ColourOption, Session } from '../session.ts'
import { writeJson, writeLine } from '../world.ts'

interface SubmitCommandOptions extends ColourOption {
  readonly input?: string
  readonly id?: string
  readonly delay?: string
  readonly paused?: true
  readonly kind?: FunctionKind
  readonly functionVersion?: string
  readonly json?: true
}

/** Declares the command. */
export const declareSubmit: Declare = (program, session) => {
  program
    .command('submit')
    .description('submit an execution; prints its id, once it is durable')
    .argument('<file>', 'the database')
    .argument('<function>', 'the name of the function')
    .option('--input <json>', 'its input; @FILE reads it from a file, - from the standard input')
    .option('--id <id>', 'the id of the execution; the same again gives the same execution')
    .option('--delay <duration>', "not before this time has passed: '10s', '3 days'")
    .option('--paused', 'nothing happens before `stele unpause`')
    .addOption(
      new Option('--kind <kind>', 'for a function that no engine has registered yet').choices([
        ...functionKinds,
      ]),
    )
    .option('--function-version <version>', 'otherwise the one that was registered last')
    .addOption(jsonOption('print JSON: the id and the function'))
    .addOption(colourOption())
    .addHelpText(
      'after',
      [
        examples(
          `submit app.db charge --input '{"cents":1999}'`,
          'submit app.db checkout --input @order.json --id order-7 --delay 1h',
        ),
        '',
        'The command line does not know the schema of the function: an input that it does not',
        'take is found out when it runs.',
      ].join('\n'),
    )
    .action((file: string, name: string, options: SubmitCommandOptions) =>
      submit(session, { file, name }, options),
    )
}

async function submit(
  session: Session,
  { file, name }: { readonly file: string; readonly name: string },
  options: SubmitCommandOptions,
): Promise<void> {
  const { world } = session
  const input = await readJson(world, options.input, '--input')
  await useDatabase(openForWriting(world, file), async (database) => {
    const registered = await database.driver.read(() => listFunctions())
    const found = chooseFunction(registered, name, options)
    const { kind, version } = found
    const fn = functionRef<FunctionRef<unknown, unknown>>(name, { kind, version })
    const { id, paused, delay } = options
    const handle = await database.engine.submit(fn, input, {
      id,
      paused,
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- whoever reads it checks it
      delay: delay as Duration | undefined,
    })
    if (options.json === true) writeJson(world.out, { id: handle.id, function: found })
    else writeLine(world.out, handle.id)
  })
}

type Choice = Pick<SubmitCommandOptions, 'kind' | 'functionVersion'>

/** What the name stands for. Throws `unknown_function` when nobody knows, or it is not clear. */
export function chooseFunction(
  registered: readonly RegisteredFunction[],
  name: string,
  { kind, functionVersion }: Choice,
): FunctionId {
  const found = registered
    .filter(({ function: fn }) => fn.name === name && (kind === undefined || fn.kind === kind))
    .toSorted((left, right) => right.lastSeenAt - left.lastSeenAt)
  const kinds = new Set(found.map(({ function: fn }) => fn.kind))
  const [last] = found
  if (kinds.size > 1) throw unclearKind(name, [...kinds])
  if (last !== undefined) {
    return { ...last.function, version: functionVersion ?? last.function.version }
  }
  if (kind !== undefined) return { kind, name, version: functionVersion ?? '1' }
  const near = nearestNames(
    name,
    registered.map(({ function: fn }) => fn.name),
  )
  throw new SteleError(
    'unknown_function',
    `No engine has registered a function ${JSON.stringify(name)} here.${suggestion(near)} ` +
      'Say --kind to submit to one that will be.',
    { fields: { functionName: name, near } },
  )
}

function unclearKind(name: string, kinds: readonly FunctionKind[]): SteleError {
  return new SteleError(
    'unknown_function',
    `${name} is registered as ${kinds.join(' and as ')}. Say which with --kind.`,
    { fields: { functionName: name, kinds } },
  )
}
