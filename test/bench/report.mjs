// Figures → tables: the median of the rounds, and ratios to the floor of the same rounds.

/** Lines of a Markdown table: workload, figure, FULL and NORMAL. */
export function renderTable(results) {
  const lines = ['| workload | figure | FULL | NORMAL |', '|---|---|---|---|']
  for (const { workload, figure } of rowsOf(results)) {
    const cells = ['full', 'normal'].map((synchronous) =>
      format(medianOf(results, { workload, synchronous, figure })),
    )
    lines.push(`| ${workload} | ${figure} | ${cells.join(' | ')} |`)
  }
  return `${lines.join('\n')}\n`
}

function rowsOf(results) {
  const rows = new Map()
  for (const { workload, figures } of results) {
    for (const figure of Object.keys(figures)) {
      if (figure !== 'state') rows.set(`${workload}\0${figure}`, { workload, figure })
    }
  }
  return [...rows.values()]
}

function medianOf(results, { workload, synchronous, figure }) {
  const values = results
    .filter((entry) => entry.workload === workload && entry.synchronous === synchronous)
    .map(({ figures }) => figures[figure])
    .filter((value) => value !== undefined)
    .sort((left, right) => left - right)
  if (values.length === 0) return undefined
  const middle = (values.length - 1) / 2
  return (values[Math.floor(middle)] + values[Math.ceil(middle)]) / 2
}

function format(value) {
  if (value === undefined) return '–'
  if (value >= 100) return Math.round(value).toLocaleString('en')
  return value.toFixed(2)
}

function ratio(results, above, below) {
  const upper = medianOf(results, above)
  const lower = medianOf(results, below)
  return upper === undefined || lower === undefined ? '–' : `${Math.round((100 * upper) / lower)} %`
}

/** The page of the reference. */
export function renderPage(results, { machine, rounds }) {
  const floor = { workload: 'floor-w1', figure: 'executions/s' }
  const lean = { workload: 'w1-lean', figure: 'executions/s' }
  const insert = { workload: 'floor-insert', figure: 'one INSERT a transaction, /s' }
  const single = { workload: 'submit', figure: 'one by one, /s' }
  const ratios = ['full', 'normal'].map((synchronous) => ({
    synchronous,
    process: ratio(results, { ...lean, synchronous }, { ...floor, synchronous }),
    submit: ratio(results, { ...single, synchronous }, { ...insert, synchronous }),
  }))
  return `# Performance

Made by \`npm run bench -- --rounds ${rounds} --write\`; what each row measures stands in
[the bench](../../test/bench/README.md). Medians of ${rounds} rounds on
${machine}, better-sqlite3 in WAL mode, one payload of about 100 bytes. The machine is shared and noisy: compare rows of this
table with each other, not with figures from elsewhere.

FULL syncs to disk at every commit (the default). NORMAL may lose the last commits when the machine
loses power, never when only the process dies.

${renderTable(results)}
## Against the floor

| | FULL | NORMAL |
|---|---|---|
| processing, of the same statements written by hand (floor-w1) | ${ratios[0].process} | ${ratios[1].process} |
| submitting one by one, of one INSERT a transaction | ${ratios[0].submit} | ${ratios[1].submit} |

The floor writes the rows that an execution leaves, and nothing else: no handler, no actor, no
check. What Stele adds is the transition table, the codec, the actors, the handler's call, and the
promises between them.

## A million

| what | command | measured |
|---|---|---|
| w6 beside a million rows, time full / empty | \`STELE_BENCH_ROWS=1000000 npm run bench -- --only w6\` | FULL 1.03, NORMAL 0.99 |
| a million executions in one process, a fifth of them workflows with a child | \`npm run soak\` | 9,800 a second from the first to the last 50,000; RSS 147 to 176 MiB without a trend, heap after a collection 11 to 15 MiB |
| plans of all statements among a million rows | [the bench](../../test/bench/README.md#a-million-rows) | as among a few, with the statistics of \`ANALYZE\` and without |

## Memory

At full load V8's heap takes half of it, some 80 MB, of which 15 are left after a collection: what is made and thrown away has
to go somewhere. w1 with \`node --max-semi-space-size=4\` had 132 MB instead of 157, and nine tenths of the throughput. SQLite's page
cache is 16 MB.

## Turns of the event loop

SQLite runs on the application's thread, so a turn of the event loop may take as long as one group of writes: 6 ms, what the
last of them overshoots, and the commit. Every 2,000 pages (1,000 with NORMAL) a commit also copies the WAL into the database, 5
to 10 ms here. A slow disk makes both longer. [Why these figures](../decisions/0021-what-a-synced-commit-costs.md).

## What polls step over

Every statement that engines repeat begins with an index, and a test compares their plans among many
rows; \`STELE_PLAN_ROWS=1000000\` tries it [with a million](../../test/bench/README.md#a-million-rows).
An index says where a statement begins, not what it passes on its way. Four pass rows that they do
not give:

- A poll of an activity with \`lockingStrategy: 'by_version'\` passes executions of other versions that
  are due before its own.
- A poll of a workflow passes those that are due and do not fit its code. They stay at the head of the
  queue until code that fits them runs.
- A page of the list passes what its filter leaves out.
- The timers watcher looks at every execution that is being cancelled.

One that is passed costs a poll a third of a microsecond where ids are generated, twice as much where they are yours and in no
order, and the look for the next due time that follows costs the same again. That makes some 60 ms for 100,000, or 120, every
200 ms (\`tickSleep\`), on the thread of the application. So a deploy that strands tens of thousands of workflows should not be
left without the old code beside it. The rows \`polls\` of the bench measure it.

## Source lines

With [\`sourceLines\`](configuration.md#source-lines), one look at the stack took 9 to 23 µs in two runs; a call that is
several events looks once, and what a replay finds in the log is not looked for. An event weighs about 120 bytes more. Of
\`schedule\`, the cheapest call there is and 2,000 of them in one turn, the loop took 79 µs a call without and 151 µs with it
in one of them, 97 µs and 187 µs in the other. A step that waits for its commit, some 3 ms, took 13 % and 18 % longer, which
is mostly the disk: it varies as much without. The two cores of the machine were shared with others all the time, so take the order of
magnitude and measure your own:
[\`test/bench/source-lines.mjs\`](../../test/bench/source-lines.mjs) measures it.
`
}
