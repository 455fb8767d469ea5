// Workloads of workflows: steps and children, one at a time and many at once, wide and long.

/** Ten local steps in a row. */
export async function measureSteps(open) {
  const driver = await begin(open)
  for (let index = 0; index < 100; index += 1) await driver.runSteps(10)
  const single = 200
  const one = await seconds(async () => {
    for (let index = 0; index < single; index += 1) await driver.runSteps(10)
  })
  const many = 500
  const best = await fastest(6, () => inFlight(many, () => driver.runSteps(10)))
  await driver.close()
  return {
    'one at a time, steps/s': (single * 10) / one,
    'many at once, steps/s': (many * 10) / best,
  }
}

/** Ten child activities in a row. */
export async function measureChildren(open) {
  const driver = await begin(open)
  for (let index = 0; index < 50; index += 1) await driver.runChildren(10)
  const single = 50
  const one = await seconds(async () => {
    for (let index = 0; index < single; index += 1) await driver.runChildren(10)
  })
  const many = 300
  const best = await fastest(6, () => inFlight(many, () => driver.runChildren(10)))
  await driver.close()
  return {
    'one at a time, steps/s': (single * 10) / one,
    'many at once, steps/s': (many * 10) / best,
  }
}

/** A parent that starts many and joins them. */
export async function measureFans(open) {
  const driver = await begin(open)
  const figures = {}
  for (const kind of ['children', 'steps']) {
    for (let index = 0; index < 3; index += 1) await driver.runFan(1_000, kind)
    for (const width of [100, 1_000]) {
      const times = []
      for (let index = 0; index < 7; index += 1) {
        times.push(await seconds(() => driver.runFan(width, kind)))
      }
      figures[`${width} ${kind}, ms`] = median(times) * 1_000
    }
  }
  await driver.close()
  return figures
}

/** One workflow of ten thousand steps, and its replay. */
export async function measureLong(open) {
  const driver = await begin(open)
  for (let index = 0; index < 50; index += 1) await driver.runSteps(100)
  const length = 10_000
  const marks = []
  driver.hooks.step = () => {
    marks.push(performance.now())
  }
  const time = await seconds(() => driver.runSteps(length))
  delete driver.hooks.step
  const tenth = length / 10
  const first = marks[tenth] - marks[0]
  const last = marks[length - 1] - marks[length - 1 - tenth]
  await driver.runReplay(1_000)
  const replays = []
  for (let index = 0; index < 3; index += 1)
    replays.push((await driver.runReplay(length)).replay_ms)
  await driver.close()
  return {
    'µs a step': (time * 1e6) / length,
    'first tenth, µs a step': (first * 1e3) / tenth,
    'last tenth, µs a step': (last * 1e3) / tenth,
    'cold replay of 10,000 steps, ms': median(replays),
  }
}

async function begin(open) {
  const driver = await open()
  await driver.work()
  return driver
}

function inFlight(count, run) {
  return Promise.all(Array.from({ length: count }, run))
}

/** The shortest of several times, in seconds: the first ones, V8 still compiles. */
async function fastest(times, work) {
  let best = Number.POSITIVE_INFINITY
  for (let index = 0; index < times; index += 1) best = Math.min(best, await seconds(work))
  return best
}

async function seconds(work) {
  const start = performance.now()
  await work()
  return (performance.now() - start) / 1_000
}

function median(values) {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)]
}
