import { describe, expect, it } from 'vitest'
import {
  delayIdOf,
  deploymentIdOf,
  executionIdOf,
  executorIdOf,
  joinSetIdOf,
  runIdOf,
} from '../../../src/storage/id-row.ts'
import { thrownBy } from '../base/thrown-by.ts'

const row = {
  execution_id: 'order-1',
  delay_id: 'Delay_order-1.o:1-sleep_1',
  join_set_id: 'o:1-sleep',
  executor_id: 'Exr_1',
  run_id: 'Run_1',
  deployment_id: 'blue',
}

const readers = [
  ['execution_id', executionIdOf],
  ['delay_id', delayIdOf],
  ['join_set_id', joinSetIdOf],
  ['executor_id', executorIdOf],
  ['run_id', runIdOf],
  ['deployment_id', deploymentIdOf],
] as const

describe('ids in rows', () => {
  it.each(readers)('%s: is the text of its column', (column, read) => {
    expect(read(row)).toBe(row[column])
  })

  it.each(readers)('%s: anything but a text was not written by us', (column, read) => {
    const error = thrownBy(() => read({ ...row, [column]: 1 }))
    expect(error).toMatchObject({ code: 'storage_corrupt', fields: { column } })
  })
})
