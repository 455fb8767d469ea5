import { defineActivity, defineWorkflow, type ExecutionTree, unchecked } from 'stele'
import { describe, expect, it } from 'vitest'
import { openTestEngine } from './test-engine.ts'

const leaf = defineActivity({ name: 'leaf' }, (n: number) => n)
const branch = defineWorkflow({ name: 'branch', input: unchecked<number>() }, (n, { joinSet }) =>
  joinSet('leaves').map(
    leaf,
    Array.from({ length: n }, (_, index) => index),
  ),
)
const top = defineWorkflow({ name: 'top' }, async (sizes: readonly number[], { call }) => {
  for (const size of sizes) await call(branch, size)
})
const functions = [leaf, branch, top]

/** Ids, without what all of them begin with. */
function shape({ execution, children }: ExecutionTree): unknown {
  const own = execution.id.split('.').at(-1)
  return children.length === 0 ? own : [own, ...children.map(shape)]
}

async function grown(sizes: readonly number[]) {
  const world = await openTestEngine({ functions })
  const handle = await world.engine.submit(top, sizes, { id: 'e' })
  await world.settle()
  await handle.result({ timeout: 0 })
  return { world, handle }
}

describe('tree', () => {
  it('tree: an execution with all below it, oldest first', async () => {
    const { world, handle } = await grown([2, 1])
    await using _ = world
    const tree = await handle.tree()
    expect(shape(tree)).toEqual([
      'e',
      ['o:1-branch_1', 'n:leaves_1', 'n:leaves_2'],
      ['o:2-branch_1', 'n:leaves_1'],
    ])
    expect(tree.execution).toMatchObject({ id: 'e', status: 'finished' })
    expect(tree).not.toHaveProperty('log')
    expect(tree).not.toHaveProperty('hidden')
  })

  it('tree: of one instant, by number: 2 before 10', async () => {
    const { world, handle } = await grown([11])
    await using _ = world
    const { children } = await handle.tree()
    expect(children[0]?.children.map(({ execution }) => execution.id.slice(-3))).toEqual([
      's_1',
      's_2',
      's_3',
      's_4',
      's_5',
      's_6',
      's_7',
      's_8',
      's_9',
      '_10',
      '_11',
    ])
  })

  it('tree: of any execution, a child too', async () => {
    const { world } = await grown([2])
    await using _ = world
    const child = await world.engine.get('e.o:1-branch_1')
    expect(shape(await child.tree())).toEqual(['o:1-branch_1', 'n:leaves_1', 'n:leaves_2'])
  })

  it('limit: so many in all, breadth first; what is left out is said', async () => {
    const { world, handle } = await grown([2, 2])
    await using _ = world
    const cut = await handle.tree({ limit: 4 })
    expect(shape(cut)).toEqual(['e', ['o:1-branch_1', expect.any(String)], 'o:2-branch_1'])
    expect(cut).not.toHaveProperty('hidden')
    expect(cut.children.map(({ hidden }) => hidden)).toEqual([true, true])
    const one = await handle.tree({ limit: 1 })
    expect(one).toMatchObject({ children: [], hidden: true })
    const all = await handle.tree({ limit: 7 })
    expect(all.children.some((child) => 'hidden' in child)).toBe(false)
  })

  it('logs: of each of them, when asked for', async () => {
    const { world, handle } = await grown([1])
    await using _ = world
    const tree = await handle.tree({ logs: true })
    expect(tree.log).toEqual(await handle.log())
    expect(tree.children[0]?.children[0]?.log?.events.at(-1)).toMatchObject({ type: 'finished' })
  })

  it.each([{ limit: 0 }, { limit: 1.5 }, { limit: '5' }, { logs: 1 }, { depth: 2 }])(
    'refusal: %j',
    async (options) => {
      const { world, handle } = await grown([])
      await using _ = world
      await expect(handle.tree(options as never)).rejects.toMatchObject({ code: 'invalid_option' })
    },
  )

  it('refusal: an engine that has stopped', async () => {
    const { world, handle } = await grown([])
    await world.stop()
    await expect(handle.tree()).rejects.toMatchObject({ code: 'engine_stopped' })
  })
})
