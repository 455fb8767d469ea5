/** Begins the viewer: forgets the token that stands in the address, connects, and draws. */

import { render } from 'preact'
import { App } from './app.tsx'
import { connect } from './live.ts'

// The cookie has it now; in the address it would be seen, copied and kept in the history.
const address = new URL(location.href)
if (address.searchParams.has('token')) {
  address.searchParams.delete('token')
  history.replaceState(null, '', `${address.pathname}${address.search}${address.hash}`)
}

const root = document.querySelector('#app')
if (root !== null) {
  root.replaceChildren()
  render(<App />, root)
  connect()
}
