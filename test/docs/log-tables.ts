/** The variants of events and responses, with their fields, read off their declarations. */
import { eventTypes } from '../../src/model/event.ts'
import { responseTypes } from '../../src/model/response.ts'
import { read, table } from './section.ts'

interface Field {
  readonly name: string
  readonly type: string
  readonly isOptional: boolean
  readonly comment: string
}

interface Declaration {
  readonly name: string
  readonly comment: string
  readonly parents: readonly string[]
  readonly fields: readonly Field[]
}

/** Every event, in the order of the code. */
export function drawEvents(): string {
  return draw('src/model/event.ts', eventTypes)
}

/** Every response. */
export function drawResponses(): string {
  return draw('src/model/response.ts', responseTypes)
}

/** What fields mean everywhere, where the declaration does not say more. */
const meanings: Readonly<Record<string, string>> = {
  backoffExpiresAt: 'When it is due again.',
  childExecutionId: 'The child.',
  closing: 'Whether the closing of the set asked.',
  concurrency: 'How many children of the set run at once.',
  cursor: 'The response.',
  delayId: 'The delay.',
  deploymentId: 'The deployment of the writer.',
  detail: 'The stack, or whatever else is known.',
  event: 'The event that the machine took.',
  executionId: 'The execution that was asked for.',
  executorId: 'The executor that holds the lock.',
  finishedVersion: 'The version at which the child ended.',
  function: 'Kind, name and version of the function.',
  functionVersion: 'The version of the function that runs.',
  httpTraces: 'The HTTP requests that the attempt made through `fetch` of its context.',
  input: 'The input in stored form; absent means `undefined`.',
  intent: 'The time as the code said it.',
  joinSetId: 'The join set.',
  kind: 'What was asked for.',
  lockExpiresAt: 'When others may take it over.',
  name: 'The name of the step.',
  onClose: 'What becomes of children that still run when the set closes.',
  onFailure: 'What becomes of the others when one child fails.',
  outcome: 'How it ended.',
  parent: 'The execution and the join set to which this one answers.',
  patchId: 'The name of the patch.',
  paused: 'Whether the delay is held back.',
  payload: 'The message in stored form.',
  reason: 'Why, in a sentence.',
  requestedFunction: 'The function whose response was asked for.',
  result: 'What came of it.',
  runExpiresAt: 'Until then the execution stays with its run.',
  runId: 'The run; one poll of an executor gives one id to all that it locks.',
  scheduledAt: 'When it is due.',
  seenCursor: 'Responses up to here have been seen by the run.',
  targetExecutionId: 'The stub.',
  attempt: 'The number of the attempt, from 1.',
  dueAt: 'When it is due.',
}

function draw(path: string, types: readonly string[]): string {
  const declarations = declarationsOf(read(path))
  return types
    .flatMap((type) => {
      const variants = declarations.filter((declaration) => isVariant(declaration, type))
      if (variants.length === 0) throw new TypeError(`${path} declares no ${type}`)
      return [`### ${type}`, ...variants.map((variant) => drawVariant(variant, declarations))]
    })
    .join('\n\n')
}

function isVariant({ fields }: Declaration, type: string): boolean {
  return fields.some((field) => field.name === 'type' && field.type === `'${type}'`)
}

function drawVariant(variant: Declaration, declarations: readonly Declaration[]): string {
  const inherited = declarations.filter(({ name }) => variant.parents.includes(name))
  const fields = [...inherited, variant]
    .flatMap(({ fields: all }) => all)
    .filter(({ name }) => name !== 'type')
  if (fields.length === 0) return `${variant.comment} It has no fields.`
  const rows = fields.map(({ name, type, isOptional, comment }) => [
    `\`${name}\``,
    `\`${type}\`${isOptional ? ', optional' : ''}`,
    comment === '' ? meaningOf(name) : comment,
  ])
  return `${variant.comment}\n\n${table(['field', 'type', 'meaning'], rows)}`
}

function meaningOf(field: string): string {
  const meaning = meanings[field]
  if (meaning === undefined) throw new TypeError(`What does ${field} mean?`)
  return meaning
}

/** Interfaces as the formatter lays them out: one line a field, a comment above it. */
const interfaces =
  /\/\*\*([\s\S]*?)\*\/\n(?:export )?interface (\w+)(?: extends ([\w, ]+))? \{\n([\s\S]*?)^\}/gm
const fieldLine = /(?:^ {2}\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?^ {2}readonly (\w+)(\?)?: (.*)$/gm

function declarationsOf(source: string): readonly Declaration[] {
  return [...source.matchAll(interfaces)].map(
    ([, comment = '', name = '', parents = '', body = '']) => ({
      name,
      comment: sentence(comment.split('/**').at(-1) ?? ''),
      parents: parents.split(', '),
      fields: [...body.matchAll(fieldLine)].map(
        ([, about = '', field = '', optional, type = '']) => ({
          name: field,
          type,
          isOptional: optional !== undefined,
          comment: sentence(about),
        }),
      ),
    }),
  )
}

function sentence(comment: string): string {
  return comment
    .replace(/^\s*\*\s?/gm, '')
    .replace(/\s+/g, ' ')
    .trim()
}
