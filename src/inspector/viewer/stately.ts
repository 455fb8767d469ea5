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
  const socket = new WebSocket(`ws://${location.host}/frames${location.search}`)
  let seen = 0
  socket.addEventListener('open', () => {
    const what = address.searchParams.get('id') ?? 'the actors of the engine'
    say(`Connected: what is shown below of ${what} is handed to the page of stately.ai.`)
  })
  socket.addEventListener('message', ({ data }: MessageEvent<string>) => {
    const told: unknown = JSON.parse(data)
    if (!isFrame(told)) return
    seen += 1
    frame?.contentWindow?.postMessage(told, host)
  })
  socket.addEventListener('close', () => {
    say(`The viewer has closed the connection, after ${seen} frames. Load the page again.`)
  })
}

/** A mark of dropped frames is none. */
function isFrame(told: unknown): boolean {
  if (typeof told !== 'object' || told === null || !('type' in told)) return false
  return typeof told.type === 'string' && told.type.startsWith('@xstate.')
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

// Only now: the page in the frame says once that it is there.
if (frame !== null) frame.src = `${host}/inspect`
