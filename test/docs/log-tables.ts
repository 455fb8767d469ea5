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
  /** What stands after `extends` or `=`: `NamedEvent<'created'>`, `Required<Blocking>`. */
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

/** Says so in a field of its own, or hands it to what it extends. */
function isVariant({ fields, parents }: Declaration, type: string): boolean {
  const said = fields.some((field) => field.name === 'type' && field.type === `'${type}'`)
  return said || parents.some((parent) => parent.endsWith(`<'${type}'>`))
}

function drawVariant(variant: Declaration, declarations: readonly Declaration[]): string {
  const fields = allFields(variant, declarations).filter(({ name }) => name !== 'type')
  if (fields.length === 0) return `${variant.comment} It has no fields.`
  const silent = fields.find(({ comment }) => comment === '')
  if (silent !== undefined) throw new TypeError(`${variant.name}.${silent.name} has no comment`)
  const rows = fields.map(({ name, type, isOptional, comment }) => [
    `\`${name}\``,
    `\`${type}\`${isOptional ? ', optional' : ''}`,
    comment,
  ])
  return `${variant.comment}\n\n${table(['field', 'type', 'meaning'], rows)}`
}

function allFields(one: Declaration, declarations: readonly Declaration[]): readonly Field[] {
  const inherited = one.parents.flatMap((text) => {
    const [, required, name] = /^(Required<)?(\w+)/.exec(text) ?? []
    const parent = declarations.find((declaration) => declaration.name === name)
    if (parent === undefined) throw new TypeError(`${one.name} extends ${text}, declared elsewhere`)
    const fields = allFields(parent, declarations)
    return required === undefined
      ? fields
      : fields.map((field) => ({ ...field, isOptional: false }))
  })
  return [...inherited, ...one.fields]
}

/** Declarations as the formatter lays them out: a comment above each, one line a field. */
const declared =
  /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport (?:interface (\w+)(?:<[^{]*?>)?(?: extends ([^{]+?))? \{(?:\n([\s\S]*?)^)?\}|type (\w+) = (\w+<'\w+'>)$)/gm
const fieldLine = /(?:^ {2}\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?^ {2}readonly (\w+)(\?)?: (.*)$/gm

function declarationsOf(source: string): readonly Declaration[] {
  return [...source.matchAll(declared)].map(
    ([, comment = '', name, parents = '', body = '', alias = '', aliased = '']) => ({
      name: name ?? alias,
      comment: sentence(comment),
      parents: `${parents}${aliased}`.split(/,\s*/).filter(Boolean),
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
