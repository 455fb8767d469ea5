/**
 * What every storage promises, whatever database it stands on. Each rule stands in one of the
 * `*.contract.ts` files; an adapter passes all of them, on no other terms than its `openAnother`.
 */

import { describe } from 'vitest'
import { describeAdvancing } from './advance.contract.ts'
import { describeAppend } from './append.contract.ts'
import { describeAtomicity } from './atomicity.contract.ts'
import { describeCancelling } from './cancel.contract.ts'
import { describeCheckup } from './checkup.contract.ts'
import { describeClosingCancelled } from './close-cancelled.contract.ts'
import { describeClosing } from './closing.contract.ts'
import { createContractTest, type OpenStorage } from './contract-test.ts'
import { describeControl } from './control.contract.ts'
import { describeCreate } from './create.contract.ts'
import { describeFollowing } from './follow.contract.ts'
import { describeKnown } from './known.contract.ts'
import { describeListing } from './list.contract.ts'
import { describeLocking } from './lock.contract.ts'
import { describeLockStrategies } from './lock-strategy.contract.ts'
import { describeNotifying } from './notification.contract.ts'
import { describeRandomly } from './random.contract.ts'
import { describeReading } from './read.contract.ts'
import { describeRegistry } from './registry.contract.ts'
import { describeResponding } from './respond.contract.ts'
import { describeRunLogs } from './run-log.contract.ts'
import { describeSending } from './send.contract.ts'
import { describeSettingAside } from './set-aside.contract.ts'
import { describeSharing } from './shared.contract.ts'
import { describeSources } from './sources.contract.ts'
import { describeTimers } from './timers.contract.ts'
import { describeWaiting } from './wait.contract.ts'

/** Declares the contract for one adapter. */
export function describeStorage(name: string, open: OpenStorage): void {
  describe(name, () => {
    const test = createContractTest(open)
    describeCreate(test)
    describeAppend(test)
    describeAtomicity(test)
    describeKnown(test)
    describeAdvancing(test)
    describeWaiting(test)
    describeResponding(test)
    describeSending(test)
    describeControl(test)
    describeCancelling(test)
    describeClosingCancelled(test)
    describeLocking(test)
    describeLockStrategies(test)
    describeTimers(test)
    describeReading(test)
    describeListing(test)
    describeFollowing(test)
    describeCheckup(test)
    describeRegistry(test)
    describeRunLogs(test)
    describeSources(test)
    describeSettingAside(test)
    describeNotifying(test)
    describeSharing(test)
    describeClosing(test, open)
    describeRandomly(test)
  })
}
