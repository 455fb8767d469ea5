/** What can be done to an execution, where the viewer may do more than look. Each is confirmed. */

import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ExecutionAnswer } from '../server/wire.ts'
import { act } from './api.ts'

/** An action that is about to be confirmed. */
interface Draft {
  readonly name: 'cancel' | 'pause' | 'unpause' | 'send' | 'complete'
  readonly title: string
  readonly warning: string
}

const drafts: readonly Draft[] = [
  {
    name: 'pause',
    title: 'Pause',
    warning: 'Nobody takes it up before it is unpaused.',
  },
  {
    name: 'unpause',
    title: 'Unpause',
    warning: 'It goes on as soon as an executor is free.',
  },
  {
    name: 'send',
    title: 'Send a message',
    warning: 'The workflow gets it when it asks for the next message of the channel.',
  },
  {
    name: 'complete',
    title: 'Complete',
    warning: 'Ends the stub with this outcome, for good.',
  },
  {
    name: 'cancel',
    title: 'Cancel',
    warning: 'Ends it, and what is below it, for good. Workflow code sees nothing of it.',
  },
]

/** The buttons, and the question before anything is done. */
export function Actions(props: {
  readonly execution: ExecutionAnswer
  readonly onDone: () => void
}): JSX.Element {
  const { execution, onDone } = props
  const [draft, setDraft] = useState<Draft>()
  const possible = drafts.filter(({ name }) => isPossible(name, execution))
  return (
    <div class="actions">
      {possible.map((one) => (
        <button
          key={one.name}
          type="button"
          class={one.name === 'cancel' ? 'is-dangerous' : ''}
          onClick={() => setDraft(one)}
        >
          {one.title}
        </button>
      ))}
      {draft !== undefined && (
        <Confirm
          draft={draft}
          id={execution.line.id}
          onClose={(isDone) => {
            setDraft(undefined)
            if (isDone) onDone()
          }}
        />
      )}
    </div>
  )
}

function isPossible(name: Draft['name'], { line, isStub }: ExecutionAnswer): boolean {
  const { status, paused, kind, cancelling } = line
  if (status === 'finished' || cancelling) return false
  if (name === 'pause') return !paused && !(kind === 'activity' && status === 'locked')
  if (name === 'unpause') return paused
  if (name === 'send') return kind === 'workflow'
  return name === 'cancel' || isStub
}

function Confirm(props: {
  readonly draft: Draft
  readonly id: string
  readonly onClose: (isDone: boolean) => void
}): JSX.Element {
  const { draft, id, onClose } = props
  const dialog = useRef<HTMLDialogElement>(null)
  const [error, setError] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  useEffect(() => dialog.current?.showModal(), [])
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const form = event.currentTarget
    if (!(form instanceof HTMLFormElement)) return
    const body = bodyOf(draft.name, id, new FormData(form))
    if (typeof body === 'string') {
      setError(body)
      return
    }
    setIsBusy(true)
    act(draft.name, body).then(
      () => onClose(true),
      (cause: unknown) => {
        setIsBusy(false)
        setError(cause instanceof Error ? cause.message : 'It failed.')
      },
    )
  }
  return (
    <dialog ref={dialog} onClose={() => onClose(false)} aria-labelledby="confirm-title">
      <form onSubmit={submit}>
        <h2 id="confirm-title">{draft.title}</h2>
        <p class="id whole">{id}</p>
        <p>{draft.warning}</p>
        <Fields name={draft.name} />
        {error !== undefined && (
          <p class="problem" role="alert">
            {error}
          </p>
        )}
        <Buttons draft={draft} isBusy={isBusy} onKeep={() => dialog.current?.close()} />
      </form>
    </dialog>
  )
}

function Buttons(props: {
  readonly draft: Draft
  readonly isBusy: boolean
  readonly onKeep: () => void
}): JSX.Element {
  const { draft, isBusy, onKeep } = props
  const kind = draft.name === 'cancel' ? 'is-dangerous' : 'is-primary'
  return (
    <div class="dialog-buttons">
      <button type="button" onClick={onKeep}>
        Keep as it is
      </button>
      <button type="submit" class={kind} disabled={isBusy}>
        {draft.title}
      </button>
    </div>
  )
}

function Fields({ name }: { readonly name: Draft['name'] }): JSX.Element | null {
  if (name === 'cancel') {
    return (
      <Field label="Reason (kept in the log)">
        <input name="reason" maxLength={500} />
      </Field>
    )
  }
  if (name === 'send') {
    return (
      <>
        <Field label="Channel">
          <input name="channel" required />
        </Field>
        <Field label="Payload (JSON; empty is undefined)">
          <textarea name="value" rows={4} spellcheck={false} />
        </Field>
      </>
    )
  }
  if (name !== 'complete') return null
  return (
    <>
      <Field label="Outcome">
        <select name="type">
          <option value="ok">ok</option>
          <option value="err">err</option>
        </select>
      </Field>
      <Field label="Value (JSON; empty is undefined)">
        <textarea name="value" rows={4} spellcheck={false} />
      </Field>
    </>
  )
}

function Field(props: {
  readonly label: string
  readonly children: ComponentChildren
}): JSX.Element {
  return (
    <label class="field">
      {props.label}
      {props.children}
    </label>
  )
}

/** What the server is told; a sentence when the fields do not say it. */
function bodyOf(name: Draft['name'], id: string, form: FormData): object | string {
  const textOf = (field: string): string => {
    const value = form.get(field)
    return typeof value === 'string' ? value.trim() : ''
  }
  const reason = textOf('reason')
  if (name === 'cancel') return reason === '' ? { id } : { id, reason }
  if (name === 'pause' || name === 'unpause') return { id }
  const text = textOf('value')
  try {
    const value: unknown = text === '' ? undefined : JSON.parse(text)
    if (name === 'send') return { id, channel: textOf('channel'), payload: value }
    return { id, type: textOf('type'), value }
  } catch {
    return 'This is not JSON. A text needs quotes: "like this".'
  }
}
