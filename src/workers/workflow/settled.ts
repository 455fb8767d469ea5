/** Promises of the context: what the code awaits. */

import type { Recorder } from './recorder.ts'

/**
 * A promise that the code awaits. What is thrown while it is made rejects it, unless the run is
 * given up: then it is never kept, and the code goes no further. A rejection that the code never
 * looks at is in the log, so it is nobody's fault.
 */
export function settled<Value>(
  recorder: Recorder,
  begin: (resolve: (value: Value) => void, reject: (error: unknown) => void) => void,
): Promise<Value> {
  const promise = new Promise<Value>((resolve, reject) => {
    try {
      begin(resolve, reject)
    } catch (cause) {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- whatever was thrown
      reject(cause)
    }
  })
  promise.catch(() => undefined)
  return recorder.fault() === undefined ? promise : never()
}

function never<Value>(): Promise<Value> {
  return new Promise<Value>(() => undefined)
}
