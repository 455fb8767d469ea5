/** The bridge: hands what the engine's actors do to the hosted inspector in the frame. */

const host = 'https://stately.ai'

const address = new URL(location.href)
if (address.searchParams.has('token')) {
  address.searchParams.delete('token')
  history.replaceState(null, '', `${address.pathname}${address.search}`)
}

const frame = document.querySelector<HTMLIFrameElement>('#inspector')
const status = document.querySelector('#status')

function say(text: string): void {
  if (status !== null) status.textContent = text
}

/** Each text is a frame in the inspector's own format. */
function connect(): void {
  const socket = new WebSocket(`ws://${location.host}/frames`)
  let seen = 0
  socket.addEventListener('open', () => {
    say('Connected. What the actors of the engine do appears below; nothing else leaves this page.')
  })
  socket.addEventListener('message', ({ data }: MessageEvent<string>) => {
    seen += 1
    frame?.contentWindow?.postMessage(JSON.parse(data), host)
  })
  socket.addEventListener('close', () => {
    say(`The viewer has closed the connection, after ${seen} frames. Load the page again.`)
  })
}

let isConnected = false
addEventListener('message', (event: MessageEvent<unknown>) => {
  if (event.origin !== host || event.source !== frame?.contentWindow || isConnected) return
  const { data } = event
  if (typeof data !== 'object' || data === null || !('type' in data)) return
  if (data.type !== '@statelyai.connected') return
  isConnected = true
  connect()
})
