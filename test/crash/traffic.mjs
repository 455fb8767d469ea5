/** What a process of a crowd does for a while: submits, sends, cancels and reads, at random. */

import { defineActivity } from '../../dist/src/index.js'

/** Actions under way at once, and the pause of each before the next one. */
const lanes = 3
const pauseMax = 60

function pause(milliseconds) {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })
}

const pick = (list) => list[Math.floor(Math.random() * list.length)]
const foreign = (name) => defineActivity({ name }).stub()

/** A message may come too late: the workflow does not wait long. */
function unlessFinished(error) {
  if (error.code !== 'already_finished') throw error
}

/** Gives the ids that were acknowledged, when what was cancelled, and every error. */
export async function makeTraffic(engine, { functions: { echo, order, long }, peers, seconds }) {
  const ids = []
  const cancels = []
  const errors = []
  const keep = ({ id }) => ids.push(id)
  const actions = {
    submit: async () => keep(await engine.submit(echo, 1)),
    submitMany: async () => {
      for (const handle of await engine.submitMany(echo, Array(10).fill(1))) keep(handle)
    },
    workflow: async () => {
      const handle = await engine.submit(order, 1)
      keep(handle)
      if (Math.random() < 0.5) await handle.send('go', 'a message').catch(unlessFinished)
    },
    probe: async () => keep(await engine.submit(foreign(`home-${pick(peers)}`), Date.now())),
    cancel: async () => {
      const handle = await engine.submit(foreign(`hang-${pick(peers)}`))
      keep(handle)
      while ((await handle.state()).status !== 'locked') await pause(20)
      // Whoever runs it needs a moment to listen to its signal.
      await pause(50)
      cancels.push({ id: handle.id, at: Date.now() })
      await handle.cancel()
    },
    cancelAny: async () => {
      const handle = await engine.submit(Math.random() < 0.5 ? order : long, 1)
      keep(handle)
      await pause(Math.random() * 100)
      await handle.cancel()
    },
    read: async () => {
      await engine.list({ children: true }, { limit: 50 })
      const id = pick(ids)
      if (id === undefined) return
      const handle = await engine.get(id)
      await Promise.all([handle.state(), handle.log(), handle.explain(), handle.tree()])
    },
  }
  const names = Object.keys(actions)
  const end = Date.now() + seconds * 1_000
  const lane = async () => {
    while (Date.now() < end) {
      const name = pick(names)
      try {
        await actions[name]()
      } catch (error) {
        errors.push(`${name}: ${error.code} ${error.message}`)
      }
      await pause(Math.random() * pauseMax)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return { ids, cancels, errors }
}
