/** The machine that the guide draws, as the guide has it. */

import { setup } from 'xstate'

const order = setup({ guards: { isPaid: () => true } }).createMachine({
  id: 'order',
  initial: 'draft',
  states: {
    draft: { on: { SUBMIT: { guard: 'isPaid', target: 'packing' } } },
    packing: {
      type: 'parallel',
      states: {
        box: { initial: 'open', states: { open: { on: { CLOSE: 'closed' } }, closed: {} } },
        label: { initial: 'blank', states: { blank: { after: { 1000: 'printed' } }, printed: {} } },
      },
      on: { SHIP: 'shipped' },
    },
    shipped: { type: 'final', entry: () => undefined },
  },
})

export const picturedMachine = order
