/** The worlds of the engine's own, by name: for programs that run them without a test runner. */

import type { ExploreOptions, Scenario } from 'stele/simulation'
import { deploys, runDeploys } from './deploys.ts'
import { office, runOffice } from './office.ts'
import { runShop, shop } from './shop.ts'

/** A world: its options, but for seed and faults, and what its application does. */
export interface NamedWorld {
  readonly options: Omit<ExploreOptions, 'faults' | 'seed'>
  readonly scenario: Scenario
}

/** All worlds. */
export const worlds: Readonly<Record<string, NamedWorld>> = {
  shop: { options: shop, scenario: runShop },
  office: { options: office, scenario: runOffice },
  deploys: { options: deploys, scenario: runDeploys },
}
