/** What an action throws, as a value to look at; `undefined` when it throws nothing. */
export function thrownBy(action: () => unknown): unknown {
  try {
    action()
  } catch (error) {
    return error
  }
  return undefined
}
