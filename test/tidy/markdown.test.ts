import { describe, expect, test } from 'vitest'
import { linkFindings, titleFindings } from './markdown.ts'

const path = 'docs/guides/page.md'
const other = '# Other\n\n## How it works, and why\n'
const resolve = (target: string): string | undefined =>
  target === 'docs/other.md' ? other : undefined

describe('titles', () => {
  test('one is right, a comment in a program is none', () => {
    expect(titleFindings({ path, text: '# One\n\n```sh\n# not a title\n```\n' })).toEqual([])
  })

  test.each(['no title', '# One\n\n# Two\n'])('catches %j', (text) => {
    expect(titleFindings({ path, text })).toHaveLength(1)
  })
})

describe('links', () => {
  test.each([
    '[a](../other.md)',
    '[a](../other.md#how-it-works-and-why)',
    '[a](https://example.com)',
    '`[a](nowhere.md)`',
    '# Here\n[a](#here)',
  ])('lets pass %j', (text) => {
    expect(linkFindings({ path, text }, resolve)).toEqual([])
  })

  test.each(['[a](nowhere.md)', '[a](../other.md#nowhere)', '[a](#nowhere)', '![a](b.svg)'])(
    'catches %j',
    (text) => {
      expect(linkFindings({ path, text }, resolve)).toHaveLength(1)
    },
  )
})
