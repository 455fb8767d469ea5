import { describe, expect, it } from 'vitest'
import {
  createPlace,
  wrapAnswer,
  wrapDate,
} from '../../../../src/workers/workflow/replaced-global.ts'

describe('a replaced global', () => {
  it('answers while installed, and is put back as it was', () => {
    const original = (): number => 1
    const owner = { draw: original }
    let isActive = false
    const place = createPlace({
      owner,
      key: 'draw',
      wrap: (under) =>
        wrapAnswer(
          under,
          () => 'scope',
          () => 2,
        ),
      isActive: () => isActive,
    })
    isActive = true
    place.install()
    expect(owner.draw()).toBe(2)
    isActive = false
    place.uninstall()
    expect(owner.draw).toBe(original)
  })

  it('asks the original where nobody is to answer', () => {
    const draw = wrapAnswer(
      () => 1,
      () => undefined,
      () => 2,
    )
    expect(draw()).toBe(1)
  })

  it('a date without arguments is the present of whoever answers', () => {
    const Twin = wrapDate(
      Date as never,
      () => 'scope',
      () => 86_400_000,
    ) as never as typeof Date
    expect(new Twin().toISOString()).toBe('1970-01-02T00:00:00.000Z')
    expect(Twin.now()).toBe(86_400_000)
    expect(new Twin(5).getTime()).toBe(5)
  })
})
