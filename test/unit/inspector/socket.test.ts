/** The connection to a relay. Time is the test's; the sockets are real, on the loopback. */

import { createServer } from 'node:http'
import { describe, expect, it, vi } from 'vitest'
import { silentLogger } from '../../../src/base/logger.ts'
import type { Frame } from '../../../src/inspector/frame.ts'
import type { FrameSink } from '../../../src/inspector/frame-sink.ts'
import { createSocket } from '../../../src/inspector/socket.ts'
import { freePort, openRelay, type Relay } from '../../support/relay.ts'
import {
  createTestClock,
  createTestScheduler,
  eventLoopTurn,
  type TestClock,
  type TestScheduler,
} from '../../support/test-time.ts'
import { actorFrame, brief, snapshotFrame } from './frames.ts'

interface World {
  readonly socket: FrameSink
  readonly clock: TestClock
  readonly scheduler: TestScheduler
  readonly warn: ReturnType<typeof vi.fn>
  readonly info: ReturnType<typeof vi.fn>
}

function connectTo(url: string, framesMax = 100): World {
  const clock = createTestClock()
  const scheduler = createTestScheduler(clock, { soon: 'event_loop' })
  const [warn, info] = [vi.fn(), vi.fn()]
  const logger = { ...silentLogger, warn, info }
  return {
    socket: createSocket({ url, scheduler, logger, framesMax }),
    clock,
    scheduler,
    warn,
    info,
  }
}

function arrived({ received }: Relay): readonly string[] {
  return received.map((text) => {
    const frame: Frame = JSON.parse(text)
    return brief(frame)
  })
}

/** Resolves when the logger has been told. */
function told(line: ReturnType<typeof vi.fn>): Promise<void> {
  return vi.waitFor(() => {
    expect(line).toHaveBeenCalled()
  })
}

describe('connection to a relay', () => {
  it('each frame is a message of its own, in order', async () => {
    await using relay = await openRelay()
    const { socket } = connectTo(relay.url)
    socket.send(actorFrame('a'))
    socket.send(snapshotFrame('a', 'on'))
    await relay.until(2)
    expect(relay.received).toEqual(
      [actorFrame('a'), snapshotFrame('a', 'on')].map((f) => JSON.stringify(f)),
    )
    await socket.close()
  })

  it('what is sent before somebody listens waits for it', async () => {
    const port = await freePort()
    const { socket, scheduler, warn, info } = connectTo(`ws://127.0.0.1:${port}`)
    socket.send(actorFrame('a'))
    await told(warn)
    await using relay = await openRelay(port)
    await scheduler.advance(250)
    await relay.until(1)
    expect(arrived(relay)).toEqual(['+a'])
    expect(info).toHaveBeenCalledTimes(1)
    await socket.close()
  })

  it('a connection that is cut comes back, and nothing is lost', async () => {
    await using relay = await openRelay()
    const { socket, scheduler } = connectTo(relay.url)
    socket.send(actorFrame('a'))
    await relay.until(1)
    relay.cut()
    await vi.waitFor(() => {
      expect(scheduler.dueTimes()).toHaveLength(1)
    })
    socket.send(snapshotFrame('a', 'away'))
    await scheduler.advance(250)
    await relay.until(3)
    expect(arrived(relay)).toEqual(['+a', '+a', 'a away'])
    await socket.close()
  })

  it('while nobody listens only so many wait, and a mark says so', async () => {
    const port = await freePort()
    const { socket, scheduler, warn } = connectTo(`ws://127.0.0.1:${port}`, 2)
    await told(warn)
    socket.send(actorFrame('a'))
    for (const value of ['one', 'two', 'three']) socket.send(snapshotFrame('a', value))
    await using relay = await openRelay(port)
    await scheduler.advance(250)
    await relay.until(4)
    expect(arrived(relay)).toEqual(['+a one', 'a two', 'a stele.dropped!', 'a three'])
    await socket.close()
  })

  it('pauses between attempts double, up to ten seconds, and only the first is reported', async () => {
    const port = await freePort()
    const { socket, scheduler, clock, warn } = connectTo(`ws://127.0.0.1:${port}`)
    const pauses: number[] = []
    for (let attempt = 0; attempt < 9; attempt += 1) {
      await vi.waitFor(() => {
        expect(scheduler.dueTimes()).toHaveLength(1)
      })
      const [dueAt = 0] = scheduler.dueTimes()
      const pause = dueAt - clock.now()
      pauses.push(pause)
      await scheduler.advance(pause)
    }
    expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000])
    expect(warn).toHaveBeenCalledTimes(1)
    await socket.close()
  })

  it('drained: resolves when everything is on its way', async () => {
    await using relay = await openRelay()
    const { socket } = connectTo(relay.url)
    for (let index = 0; index < 100; index += 1) socket.send(snapshotFrame('a', String(index)))
    await socket.drained()
    await socket.close()
    await relay.until(100)
    expect(relay.received).toHaveLength(100)
  })

  it('drained: resolves at once when there was nothing to send', async () => {
    const { socket, warn } = connectTo(`ws://127.0.0.1:${await freePort()}`)
    await socket.drained()
    await told(warn)
    await socket.close()
    expect(warn).toHaveBeenCalledTimes(1)
  })

  it('a relay that is slow is not buried: what it does not take waits here', async () => {
    await using relay = await openRelay()
    const { socket, scheduler } = connectTo(relay.url, 1000)
    await relay.connected(1)
    relay.pause()
    const count = 400
    for (let index = 0; index < count; index += 1) {
      socket.send(snapshotFrame('a', `${index} ${'x'.repeat(100_000)}`))
    }
    await vi.waitFor(() => {
      expect(scheduler.dueTimes()).toHaveLength(1)
    })
    const isDrained = vi.fn()
    void socket.drained().then(isDrained)
    await eventLoopTurn()
    expect(isDrained).not.toHaveBeenCalled()
    relay.resume()
    while (relay.received.length < count) await scheduler.advance(50)
    await vi.waitFor(() => {
      expect(isDrained).toHaveBeenCalled()
    })
    const numbers = relay.received.map((text) => Number(/"value":"(\d+) /.exec(text)?.[1]))
    expect(numbers).toEqual(Array.from({ length: count }, (_, index) => index))
    await socket.close()
  })

  it('closed: nothing is sent, and nobody connects again', async () => {
    await using relay = await openRelay()
    const { socket, scheduler } = connectTo(relay.url)
    await relay.connected(1)
    await socket.close()
    socket.send(actorFrame('a'))
    await scheduler.advance(60_000)
    expect(relay.received).toEqual([])
  })

  it('closed while it waits for its next attempt: makes none', async () => {
    const port = await freePort()
    const { socket, scheduler, warn } = connectTo(`ws://127.0.0.1:${port}`)
    await told(warn)
    await vi.waitFor(() => {
      expect(scheduler.dueTimes()).toHaveLength(1)
    })
    await socket.close()
    expect(scheduler.dueTimes()).toEqual([])
  })

  it('closed while it connects: says nothing', async () => {
    await using relay = await openRelay()
    const { socket, warn } = connectTo(relay.url)
    await socket.close()
    expect(warn).not.toHaveBeenCalled()
  })

  it('a server that is no relay is tried again like one that is away', async () => {
    const server = createServer((_, response) => response.writeHead(404).end())
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    const { socket, warn } = connectTo(`ws://127.0.0.1:${port}/path`)
    await told(warn)
    await socket.close()
    server.close()
    expect(warn).toHaveBeenCalledTimes(1)
  })
})
