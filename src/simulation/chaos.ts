/** Things that go wrong between steps and after commits: deaths, stand-stills, lost power. */

import type { Faults } from './faults.ts'
import type { Life } from './kernel.ts'
import type { Processes } from './processes.ts'
import type { Store } from './store.ts'

/** What chaos works on. */
export interface ChaosOptions {
  readonly faults: Faults
  readonly processes: Processes
  readonly store: Store
  /** Lives for ever. */
  readonly world: Life
  /** The store went back to an earlier commit. */
  readonly onRestored: () => void
}

/** Lets things go wrong. */
export interface Chaos {
  readonly beforeStep: () => void
  readonly afterCommit: () => void
}

/** Chaos, by the faults of this seed. */
export function createChaos(options: ChaosOptions): Chaos {
  return {
    beforeStep: () => {
      if (!options.faults.isHealed()) strikeBetweenSteps(options)
    },
    afterCommit: createPowerLoss(options),
  }
}

function strikeBetweenSteps({ faults, processes, world }: ChaosOptions): void {
  const hit = (kind: 'crash' | 'stall' | 'restart' | 'clockJump'): string | undefined => {
    const up = processes.names.filter((name) => processes.isUp(name))
    return up[faults.pick(kind, up.length)]
  }
  if (faults.happens('crash')) processes.crash(hit('crash') ?? '', 'dies')
  if (faults.happens('stall')) {
    processes.stall(hit('stall') ?? '', faults.lengthOf('stall', faults.plan.stallMax))
  }
  if (faults.happens('restart')) {
    const name = hit('restart') ?? ''
    world.scheduler.soon(() => void processes.stop(name))
  }
  if (faults.happens('clockJump')) processes.jumpClock(hit('clockJump') ?? '')
}

/** All engines die; with `loses` the store goes back to an earlier commit. */
function createPowerLoss({
  faults,
  processes,
  store,
  world,
  onRestored,
}: ChaosOptions): () => void {
  let loss: { readonly image: Uint8Array; left: number } | undefined
  const blackOut = (image: Uint8Array | undefined): void => {
    loss = undefined
    // Not within the step that has committed: its connection is in use.
    world.scheduler.soon(() => {
      for (const name of processes.names) processes.crash(name, 'the power is gone')
      if (image === undefined) return
      store.restore(image)
      onRestored()
    })
  }
  return () => {
    if (loss !== undefined) {
      loss.left -= 1
      if (loss.left <= 0) blackOut(loss.image)
      return
    }
    if (!faults.happens('powerLoss')) return
    const { loses } = faults.plan
    const lost = store.isRestorable ? faults.pick('powerLoss', loses + 1) : 0
    if (lost === 0) blackOut(undefined)
    else loss = { image: store.image(), left: lost }
  }
}
