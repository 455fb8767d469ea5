/** A machine as users write them: nested, parallel, with history, timers, actors and odd names. */

import { and, assign, fromPromise, not, raise, setup } from 'xstate'

/** The key of a state that no drawing may take for its own syntax. */
export const oddKey = 'odd.key: --> [*] <b>&"</b>'

/** An order: written, paid and packed at once, held, cancelled or done. */
export const userMachine = setup({
  actors: {
    charge: fromPromise(() => Promise.resolve('R-1')),
  },
  guards: { isValid: () => true, isLate: () => false },
  actions: { notify: () => undefined },
  delays: { patience: 1000 },
}).createMachine({
  id: 'order',
  context: { items: [] },
  initial: 'draft',
  on: { CANCEL: '.cancelled' },
  states: {
    draft: {
      description: 'Not "sent" yet',
      on: {
        SUBMIT: [
          { guard: and(['isValid', not('isLate')]), target: 'working' },
          { actions: 'notify' },
        ],
        EDIT: { actions: assign({ items: () => [] }) },
      },
    },
    working: {
      type: 'parallel',
      onDone: 'done',
      on: { HOLD: 'held' },
      states: {
        payment: {
          initial: 'charging',
          states: {
            charging: {
              invoke: {
                id: 'payer',
                src: 'charge',
                onDone: { target: 'paid', actions: raise({ type: 'paid:now' }) },
                onError: 'failed',
              },
              after: { patience: 'failed', 5000: { actions: 'notify' } },
            },
            failed: { entry: 'notify', after: { 1000: 'charging' } },
            paid: { id: 'paid', type: 'final' },
          },
        },
        packing: {
          initial: 'idle',
          states: {
            idle: { on: { 'paid:now': 'boxes' } },
            boxes: {
              initial: 'first',
              onDone: 'packed',
              states: {
                first: { always: { guard: () => true, target: 'second' } },
                second: { on: { NEXT: 'end' } },
                end: { type: 'final' },
                last: { type: 'history', history: 'deep', target: 'second' },
              },
            },
            packed: { id: 'packed', type: 'final' },
          },
        },
      },
    },
    held: {
      on: { RESUME: 'working.packing.boxes.last', ALL: { target: ['#paid', '#packed'] } },
    },
    cancelled: { type: 'final', entry: 'notify' },
    done: { type: 'final' },
    [oddKey]: { on: { '*': { target: 'draft', reenter: true } } },
  },
})
