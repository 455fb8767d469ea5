/** Small parts that every page uses. Whatever they show goes in as text, never as markup. */

import type { ComponentChildren, JSX } from 'preact'
import type { ExecutionLine, ShownValue } from '../server/wire.ts'
import { formatInstant } from './clock.ts'
import { formatAge, formatCount } from './format.ts'
import { useNow } from './hooks.ts'
import { executionHref } from './route.ts'
import { statusOf } from './status-of.ts'

/** Where an execution stands: a dot and a word. */
export function Status({ line }: { readonly line: ExecutionLine }): JSX.Element {
  const { key, label } = statusOf(line, useNow())
  return (
    <span class={`status is-${key}`} title={line.setAside ?? label}>
      <span class="dot" aria-hidden="true" />
      {label}
    </span>
  )
}

/** A link to an execution; long ids are cut, and whole in the title. */
export function ExecutionLink(props: { readonly id: string; readonly text?: string }): JSX.Element {
  const { id, text = id } = props
  return (
    <a class="id" href={executionHref(id)} title={id}>
      {text}
    </a>
  )
}

/** How long ago; the whole date in the title. */
export function Age({ at }: { readonly at: number }): JSX.Element {
  return <time title={formatInstant(at)}>{formatAge(at, useNow())}</time>
}

/** A value of a user. */
export function Value(props: {
  readonly value: ShownValue
  readonly onMore?: (() => void) | undefined
}): JSX.Element {
  const { value, onMore } = props
  const { name, text, cut } = value
  const isShort = text.length <= 60 && !text.includes('\n')
  return (
    <div class={isShort ? 'value is-short' : 'value'}>
      <div class="value-name" title={name}>
        {name}
      </div>
      <pre tabIndex={isShort ? -1 : 0} aria-label={name}>
        {text}
        {cut !== undefined && (
          <span class="cut">
            {'\n'}… {formatCount(cut)} more characters{' '}
            {onMore !== undefined && (
              <button type="button" class="link" onClick={onMore}>
                Show them
              </button>
            )}
          </span>
        )}
      </pre>
    </div>
  )
}

/** What stands where nothing is to be shown. */
export function Empty(props: {
  readonly title: string
  readonly children?: ComponentChildren
}): JSX.Element {
  return (
    <div class="empty">
      <p class="empty-title">{props.title}</p>
      {props.children}
    </div>
  )
}

/** What went wrong, in a sentence. */
export function Problem({ error }: { readonly error: Error | undefined }): JSX.Element | null {
  if (error === undefined) return null
  return (
    <p class="problem" role="alert">
      {error.message}
    </p>
  )
}

/** Shown until the first answer comes. */
export function Loading(): JSX.Element {
  return (
    <p class="loading" role="status">
      Loading …
    </p>
  )
}
