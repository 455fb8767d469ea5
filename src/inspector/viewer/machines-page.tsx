/** The machines that an engine is made of, drawn. */

import type { JSX } from 'preact'
import type { MachinesAnswer } from '../server/wire.ts'
import { questionOf } from './api.ts'
import { ChartPicture } from './chart-picture.tsx'
import { useAnswer } from './hooks.ts'
import { Loading, Problem } from './parts.tsx'

/** The page. */
export function MachinesPage(): JSX.Element {
  const { answer, error } = useAnswer<MachinesAnswer>(questionOf('machines'), never)
  return (
    <main class="page">
      <h1 class="visually-hidden">Machines</h1>
      <Problem error={error} />
      {answer === undefined && error === undefined && <Loading />}
      {answer?.machines.map(({ name, about, chart }) => (
        <section key={name} class="card">
          <h2 title={name}>{name}</h2>
          <p class="faint">{about}</p>
          <ChartPicture chart={chart} />
        </section>
      ))}
    </main>
  )
}

const never = (): boolean => false
