/** `stele/simulation`: the whole engine, and the user's own code, under one seed. */

export {
  type ActivityReplacement,
  type ActivityReplacements,
  type ActivityWorld,
  type SimulatedActivity,
  type SimulatedHandler,
  type SimulatedOptions,
  simulated,
} from './simulation/activities.ts'
export type { Tapes } from './simulation/choices.ts'
export {
  defineSimulation,
  isSimulation,
  reproduce,
  type Simulation,
} from './simulation/define-simulation.ts'
export {
  type ExploreOptions,
  type ExploreProgress,
  type ExploreResult,
  explore,
  type FoundFailure,
} from './simulation/explore.ts'
export {
  type FaultKind,
  type FaultLevel,
  type FaultOptions,
  type FaultRates,
  faultLevels,
  swarm,
} from './simulation/faults.ts'
export type {
  EventStep,
  ExecutionChange,
  ExecutionView,
  Invariant,
  InvariantView,
  OpenDelay,
} from './simulation/invariant.ts'
export type { Ledger, LedgerEntry } from './simulation/ledger.ts'
export type {
  Functions,
  SimulatedEngines,
  SimulationLimits,
  SimulationOptions,
} from './simulation/options.ts'
export { formatRepro, parseRepro, type Repro } from './simulation/repro.ts'
export type { Scenario } from './simulation/run.ts'
export type { DeclareTest, SimTest } from './simulation/sim-test.ts'
export { createSimTest } from './simulation/sim-test-host.ts'
export { requireOk, type SimulationResult, simulate } from './simulation/simulate.ts'
export type { FailureKind, SimulationFailure } from './simulation/simulation-error.ts'
export type { StoreKind } from './simulation/store.ts'
export type { TraceKind, TraceLine } from './simulation/trace.ts'
export type { World } from './simulation/world.ts'
