/** What the pages show is what happens: their programs are compiled, run, killed and compared. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { blocksOf, fencesOf, normalised } from './page.ts'
import { openProject } from './project.ts'

const top = fileURLToPath(new URL('../..', import.meta.url))
const errors = 'docs/reference/errors.md'
const guides = readdirSync(`${top}docs/guides`).map((name) => `docs/guides/${name}`)
const runnable = ['README.md', 'docs/tutorial.md', errors, ...guides]
const read = (path: string): string => readFileSync(`${top}${path}`, 'utf8')

describe('pages', () => {
  test.concurrent.each(runnable)('%s does what it shows', async (path) => {
    await using project = await openProject()
    let commands = 0
    for (const block of blocksOf(read(path))) {
      if (block.kind === 'file') {
        await project.write(block.name, block.text)
        continue
      }
      for (const { command, output } of block.steps) {
        commands += 1
        const printed = await project.command(command, output)
        expect(normalised(printed), `$ ${command}`).toBe(normalised(output))
      }
    }
    expect(commands).toBeGreaterThan(0)
  })

  test.each(runnable)('%s shows no program that is not run', (path) => {
    const loose = fencesOf(read(path)).filter(({ info }) => /^(?:ts|js)\b(?! file=)/.test(info))
    expect(loose).toEqual([])
  })

  test('README.md shows the example as it is', () => {
    const [first] = blocksOf(read('README.md'))
    expect(first).toMatchObject({ kind: 'file', name: 'survives.ts' })
    expect(first?.kind === 'file' ? first.text : '').toBe(read('docs/examples/survives.ts'))
  })
})
