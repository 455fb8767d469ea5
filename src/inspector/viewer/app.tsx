/** The frame around every page: where one is, what is looked at, and whether it is live. */

import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { InfoAnswer } from '../server/wire.ts'
import { questionOf } from './api.ts'
import { ExecutionPage } from './execution-page.tsx'
import { ExecutorsPage } from './executors-page.tsx'
import { useAnswer, useRoute } from './hooks.ts'
import { ListPage } from './list-page.tsx'
import { type LiveState, listen } from './live.ts'
import { MachinesPage } from './machines-page.tsx'
import { Empty, Problem } from './parts.tsx'
import { formatRoute, type Route } from './route.ts'
import { ThemeToggle } from './theme.tsx'

/** The viewer. */
export function App(): JSX.Element {
  const route = useRoute()
  const { answer: info, error } = useAnswer<InfoAnswer>(questionOf('info'), never)
  useEffect(() => {
    const name = route.page === 'execution' ? route.id : route.page
    document.title = `${name} – Stele`
  }, [route.page, route.id])
  return (
    <>
      <header class="top">
        <a class="brand" href={formatRoute('executions')}>
          <Stone />
          Stele
        </a>
        <nav aria-label="Pages">
          <Tab page="executions" label="Executions" route={route} />
          <Tab page="executors" label="Executors" route={route} />
          <Tab page="machines" label="Machines" route={route} />
        </nav>
        <span class="spacer" />
        {info !== undefined && <Source info={info} />}
        <Liveness />
        <ThemeToggle />
      </header>
      <Problem error={error} />
      <Page route={route} canAct={info?.actions === true} />
    </>
  )
}

const never = (): boolean => false

function Page(props: { readonly route: Route; readonly canAct: boolean }): JSX.Element {
  const { route, canAct } = props
  switch (route.page) {
    case 'executions':
      return <ListPage route={route} />
    case 'execution':
      return <ExecutionPage key={route.id} route={route} canAct={canAct} />
    case 'executors':
      return <ExecutorsPage />
    case 'machines':
      return <MachinesPage />
    case 'missing':
      return (
        <main class="page">
          <Empty title="There is no such page.">
            <a href={formatRoute('executions')}>To the executions</a>
          </Empty>
        </main>
      )
  }
}

function Tab(props: {
  readonly page: Route['page']
  readonly label: string
  readonly route: Route
}): JSX.Element {
  const { page, label, route } = props
  const isHere = route.page === page || (page === 'executions' && route.page === 'execution')
  return (
    <a href={formatRoute(page)} aria-current={isHere ? 'page' : undefined}>
      {label}
    </a>
  )
}

function Source({ info }: { readonly info: InfoAnswer }): JSX.Element {
  const what = info.source === 'engine' ? 'engine' : 'database'
  return (
    <span class="source" title={`${what} ${info.name}`}>
      <span class="faint">{what}</span> {info.name}
    </span>
  )
}

const words: Readonly<Record<LiveState, string>> = {
  connecting: 'connecting',
  live: 'live',
  lost: 'not connected',
}

function Liveness(): JSX.Element {
  const [state, setState] = useState<LiveState>('connecting')
  useEffect(() => listen({ onState: setState }), [])
  return (
    <span class={`liveness is-${state}`} role="status">
      <span class="dot" aria-hidden="true" />
      {words[state]}
    </span>
  )
}

function Stone(): JSX.Element {
  return (
    <svg viewBox="0 0 32 32" width="18" height="18" aria-hidden="true">
      <path d="M8 29V11a8 8 0 0 1 16 0v18z" fill="currentColor" />
      <path class="lines" d="M12 13h8M12 18h8M12 23h5" stroke-width="2" stroke-linecap="round" />
    </svg>
  )
}
