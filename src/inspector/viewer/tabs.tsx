/** Tabs, as the keyboard expects them: one stop, and arrows from one to the next. */

import type { ComponentChildren, JSX } from 'preact'

/** A tab, and what it opens. */
export interface Tab {
  readonly key: string
  readonly label: string
  readonly body: () => ComponentChildren
}

/** Tabs with the one that is open. */
export function Tabs(props: {
  readonly label: string
  readonly tabs: readonly Tab[]
  readonly open: string
  readonly onOpen: (key: string) => void
}): JSX.Element {
  const { label, tabs, open, onOpen } = props
  const shown = tabs.find(({ key }) => key === open) ?? tabs[0]
  const move = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    const index = tabs.findIndex(({ key }) => key === shown?.key)
    const next = tabs[index + by]
    if (by === 0 || next === undefined) return
    event.preventDefault()
    onOpen(next.key)
    document.querySelector<HTMLElement>(`#tab-${next.key}`)?.focus()
  }
  return (
    <section class="tabs">
      <div role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.key}
            id={`tab-${tab.key}`}
            type="button"
            role="tab"
            aria-selected={tab.key === shown?.key}
            aria-controls="tab-panel"
            tabIndex={tab.key === shown?.key ? 0 : -1}
            onClick={() => onOpen(tab.key)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${shown?.key ?? ''}`}>
        {shown?.body()}
      </div>
    </section>
  )
}
