/** The code of the call that caused an event, as it was when the call was made. */

import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { CodeAnswer, CodePlace } from '../server/wire.ts'
import { ask, questionOf } from './api.ts'

/** The lines around a place; the place alone while they are not there. */
export function CodeView({ place }: { readonly place: CodePlace }): JSX.Element {
  const { file, line, hash } = place
  const [code, setCode] = useState<CodeAnswer>()
  useEffect(() => {
    let isWanted = true
    ask<CodeAnswer>(questionOf('code', { hash, line })).then(
      (answer) => {
        if (isWanted) setCode(answer)
      },
      () => undefined,
    )
    return () => {
      isWanted = false
    }
  }, [hash, line])
  const { from = line, lines = [] } = code ?? {}
  return (
    <figure class="code" aria-label={`${file}, line ${line}`}>
      <figcaption class="value-name" title={file}>
        {file}:{line}
      </figcaption>
      {lines.length > 0 && (
        <ol start={from} tabIndex={0}>
          {lines.map((text, index) => (
            <CodeLine key={from + index} text={text} isMeant={from + index === line} />
          ))}
        </ol>
      )}
    </figure>
  )
}

function CodeLine(props: { readonly text: string; readonly isMeant: boolean }): JSX.Element {
  const { text, isMeant } = props
  return (
    <li class={isMeant ? 'is-meant' : ''} aria-current={isMeant ? 'step' : undefined}>
      <code>{text === '' ? ' ' : text}</code>
    </li>
  )
}
