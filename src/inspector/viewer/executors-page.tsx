/** Who executes: which executors live, what they hold, and whether they keep up. */

import type { JSX } from 'preact'
import type { ExecutorLine, ExecutorsAnswer } from '../server/wire.ts'
import { questionOf } from './api.ts'
import { formatInstant } from './clock.ts'
import { formatAge, formatCount, formatDuration } from './format.ts'
import { everything, useAnswer, useNow } from './hooks.ts'
import { Age, Empty, ExecutionLink, Loading, Problem } from './parts.tsx'

/** How late the first of what is due may be before it is pointed out, in milliseconds. */
const lagNotable = 5_000

/** The page. */
export function ExecutorsPage(): JSX.Element {
  const { answer, error } = useAnswer<ExecutorsAnswer>(questionOf('executors'), everything)
  return (
    <main class="page">
      <h1 class="visually-hidden">Executors</h1>
      <Problem error={error} />
      {answer === undefined ? (
        error === undefined && <Loading />
      ) : (
        <Executors executors={answer.executors} />
      )}
    </main>
  )
}

function Executors(props: { readonly executors: readonly ExecutorLine[] }): JSX.Element {
  const { executors } = props
  const living = executors.filter(({ alive }) => alive)
  const gone = executors.filter(({ alive }) => !alive)
  if (executors.length === 0) {
    return (
      <Empty title="No executor has ever run on this storage.">
        <p>
          <code>engine.start()</code> starts them, and each gives a sign of life every 5 seconds.
        </p>
      </Empty>
    )
  }
  return (
    <>
      {living.length === 0 && (
        <Empty title="No executor is alive: nothing on this storage moves." />
      )}
      {living.map((executor) => (
        <Executor key={executor.executorId} executor={executor} />
      ))}
      {gone.length > 0 && <Gone executors={gone} />}
    </>
  )
}

function Executor({ executor }: { readonly executor: ExecutorLine }): JSX.Element {
  const { executorId, kind, host, pid, startedAt, lastBeatAt, functions } = executor
  const { held, heldMore, permits, lag } = executor
  const now = useNow()
  return (
    <section class="card executor">
      <header>
        <span class="status is-running">
          <span class="dot" aria-hidden="true" />
          alive
        </span>
        <h2>{kind}</h2>
        <span class="id" title={executorId}>
          {executorId}
        </span>
      </header>
      <dl class="facts">
        <Fact name="process" value={`${host}, pid ${pid}`} />
        <Fact name="since" value={formatAge(startedAt, now)} title={formatInstant(startedAt)} />
        <Fact
          name="last sign"
          value={formatAge(lastBeatAt, now)}
          title={formatInstant(lastBeatAt)}
        />
        <Fact name="holds" value={formatCount(held.length + heldMore)} />
        {permits !== undefined && (
          <Fact name="permits" value={`${permits.free} of ${permits.total} free`} />
        )}
        <Fact
          name="lag"
          value={lag === undefined ? '–' : formatDuration(lag)}
          isBad={(lag ?? 0) > lagNotable}
          title="For how long the execution that is due first has been waiting"
        />
      </dl>
      <p class="functions" title={functions.join(', ')}>
        {functions.map((name) => (
          <code key={name}>{name}</code>
        ))}
      </p>
      {held.length > 0 && <Held executor={executor} now={now} />}
    </section>
  )
}

function Fact(props: {
  readonly name: string
  readonly value: string
  readonly title?: string
  readonly isBad?: boolean
}): JSX.Element {
  const { name, value, title = value, isBad = false } = props
  return (
    <div>
      <dt>{name}</dt>
      <dd class={isBad ? 'is-bad' : ''} title={title}>
        {value}
      </dd>
    </div>
  )
}

function Held(props: { readonly executor: ExecutorLine; readonly now: number }): JSX.Element {
  const { executor, now } = props
  const { held, heldMore } = executor
  return (
    <table class="lines">
      <thead>
        <tr>
          <th scope="col">Function</th>
          <th scope="col" class="wide">
            Holds
          </th>
          <th scope="col" class="number">
            Attempt
          </th>
          <th scope="col">Lock ends</th>
        </tr>
      </thead>
      <tbody>
        {held.map(({ id, functionName, attempt, lockExpiresAt }) => (
          <tr key={id}>
            <td class="name" title={functionName}>
              {functionName}
            </td>
            <td class="wide">
              <ExecutionLink id={id} />
            </td>
            <td class="number">{attempt}</td>
            <td title={formatInstant(lockExpiresAt)}>{formatAge(lockExpiresAt, now)}</td>
          </tr>
        ))}
        {heldMore > 0 && (
          <tr>
            <td colSpan={4} class="faint">
              and {formatCount(heldMore)} more
            </td>
          </tr>
        )}
      </tbody>
    </table>
  )
}

function Gone({ executors }: { readonly executors: readonly ExecutorLine[] }): JSX.Element {
  return (
    <section class="card">
      <h2>No longer alive</h2>
      <table class="lines">
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">Kind</th>
            <th scope="col" class="wide">
              Executor
            </th>
            <th scope="col">Process</th>
            <th scope="col">Last sign</th>
            <th scope="col" class="number">
              Holds
            </th>
          </tr>
        </thead>
        <tbody>
          {executors.map((executor) => (
            <GoneLine key={executor.executorId} executor={executor} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function GoneLine({ executor }: { readonly executor: ExecutorLine }): JSX.Element {
  const { executorId, kind, host, pid, lastBeatAt, stoppedAt, held, heldMore } = executor
  const isStopped = stoppedAt !== undefined
  return (
    <tr>
      <td>
        <span class={`status is-${isStopped ? 'scheduled' : 'failed'}`}>
          <span class="dot" aria-hidden="true" />
          {isStopped ? 'stopped' : 'silent'}
        </span>
      </td>
      <td>{kind}</td>
      <td class="wide">
        <span class="id" title={executorId}>
          {executorId}
        </span>
      </td>
      <td title={`${host}, pid ${pid}`}>
        {host}, {pid}
      </td>
      <td>
        <Age at={lastBeatAt} />
      </td>
      <td class="number">{held.length + heldMore}</td>
    </tr>
  )
}
