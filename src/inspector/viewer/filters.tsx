/** The filters of the list. What they say stands in the hash, so a link shows the same. */

import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { FunctionsAnswer } from '../server/wire.ts'
import { questionOf } from './api.ts'
import { after } from './clock.ts'
import { useAnswer } from './hooks.ts'
import { formatRoute, type Route } from './route.ts'
import { stateFilters } from './status-of.ts'

/** How long after the last key a search begins, in milliseconds. */
const typingPause = 250

/** The filters. */
export function Filters({ query }: { readonly query: Route['query'] }): JSX.Element {
  const set = (name: string, value: string): void => {
    location.hash = formatRoute('executions', { query: { ...query, [name]: value, after: '' } })
  }
  return (
    <search class="filters">
      <Prefix value={query['prefix'] ?? ''} onChange={(value) => set('prefix', value)} />
      <Functions value={query['function'] ?? ''} onChange={(value) => set('function', value)} />
      <select
        aria-label="State"
        value={query['state'] ?? ''}
        onChange={(event) => set('state', event.currentTarget.value)}
      >
        {stateFilters.map(({ key, label }) => (
          <option key={key} value={key}>
            {label}
          </option>
        ))}
      </select>
      <Moment label="from" value={query['from'] ?? ''} onChange={(value) => set('from', value)} />
      <Moment
        label="before"
        value={query['before'] ?? ''}
        onChange={(value) => set('before', value)}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={query['children'] === 'true'}
          onChange={(event) => set('children', event.currentTarget.checked ? 'true' : '')}
        />
        children too
      </label>
      {Object.keys(query).length > 0 && (
        <a class="clear" href={formatRoute('executions')}>
          Clear
        </a>
      )}
    </search>
  )
}

interface FieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
}

/** Text that ids begin with; `/` goes there. */
function Prefix({ value, onChange }: FieldProps): JSX.Element {
  const input = useRef<HTMLInputElement>(null)
  const cancel = useRef<() => void>(() => undefined)
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      if (event.key !== '/' || isTyping(event.target)) return
      event.preventDefault()
      input.current?.focus()
    }
    addEventListener('keydown', focus)
    return () => {
      removeEventListener('keydown', focus)
    }
  }, [])
  return (
    <input
      ref={input}
      type="search"
      class="prefix"
      aria-label="Id begins with"
      placeholder="Id begins with …  /"
      spellcheck={false}
      value={value}
      onInput={(event) => {
        const text = event.currentTarget.value.trim()
        cancel.current()
        cancel.current = after(typingPause, () => onChange(text))
      }}
    />
  )
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
}

function Functions({ value, onChange }: FieldProps): JSX.Element {
  const { answer } = useAnswer<FunctionsAnswer>(questionOf('functions'), never)
  const known = new Set((answer?.functions ?? []).map(({ name }) => name))
  if (value !== '') known.add(value)
  return (
    <select
      aria-label="Function"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      <option value="">Any function</option>
      {[...known].map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  )
}

/** Functions come with engines; a new one is there when the page is opened again. */
const never = (): boolean => false

function Moment(props: FieldProps & { readonly label: string }): JSX.Element {
  const { label, value, onChange } = props
  return (
    <label class="moment">
      {label}
      <input
        type="datetime-local"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  )
}
