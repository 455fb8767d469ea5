/** Expected refusals are values. This file knows no domain: only the shape of yes and no. */

/** Either a value, or a refusal that the caller is expected to handle. */
export type Result<Value, Refusal> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: Refusal }

/** Wraps a value. */
export function accept<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value }
}

/** Wraps a refusal. */
export function refuse<Refusal>(error: Refusal): { readonly ok: false; readonly error: Refusal } {
  return { ok: false, error }
}
