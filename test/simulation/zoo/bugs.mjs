/**
 * The bugs of the zoo: mistakes that somebody could make in the engine, each as edits of what was
 * built from it. `find` is exact text that stands once in `file`.
 */

const append = 'src/storage/append.js'
const decide = 'src/model/decide.js'
const retry = 'src/model/retry.js'
const respond = 'src/storage/respond.js'
const timers = 'src/storage/timers.js'
const storage = 'src/storage/storage.js'
const drive = 'src/storage/sqlite/drive.js'
const executor = 'src/engine/executor.js'

export const bugs = [
  {
    name: 'fence: whoever meets another version writes at the next one',
    edits: [
      {
        file: append,
        find: 'return yield* appendTo(before, written);',
        replace: 'return yield* appendTo(before, { ...written, version: nextVersion(before) });',
      },
    ],
  },
  {
    name: 'lock: it is freed before it runs out',
    edits: [
      {
        file: timers,
        find: 'e.lock_expires_at_ms <= $1',
        replace: 'e.lock_expires_at_ms <= $1 + 900',
      },
    ],
  },
  {
    name: 'lock: anybody may extend it',
    edits: [
      {
        file: decide,
        find: "return isLastOwner(state.lastOwner, event) ? undefined : illegal('already_locked');",
        replace: 'return undefined;',
      },
      {
        file: append,
        find: 'return yield* appendTo(before, written);',
        replace: [
          "const isRenewal = written.entries[0].event.type === 'locked';",
          'const version = isRenewal ? nextVersion(before) : written.version;',
          'return yield* appendTo(before, { ...written, version });',
        ].join('\n'),
      },
    ],
  },
  {
    name: 'wake-up: a response leaves its execution blocked',
    edits: [{ file: respond, find: 'if (after !== before)', replace: 'if (after === undefined)' }],
  },
  {
    name: 'wake-up: a response to the last ask wakes nobody',
    edits: [
      {
        file: respond,
        find: 'counts.responses <= counts.asks',
        replace: 'counts.responses < counts.asks',
      },
    ],
  },
  {
    name: 'wake-up: a wait claims to have seen one response more',
    edits: [
      {
        file: 'src/workers/workflow/worker.js',
        find: 'withWait(writes.events, frame.seen(), createdAt)',
        replace: 'withWait(writes.events, frame.seen() + 1, createdAt)',
      },
    ],
  },
  {
    name: 'wake-up: a notice is all that an executor waits for',
    edits: [
      {
        file: 'src/engine/wake-up.js',
        find: "this.#arm(now + pause, 'poll');",
        replace: "if (pause > tickSleep) this.#arm(now + pause, 'poll');",
      },
    ],
  },
  {
    name: 'retry: one more than allowed',
    edits: [
      {
        file: retry,
        find: 'attempt.failures + 1 > maxRetries',
        replace: 'attempt.failures > maxRetries',
      },
    ],
  },
  {
    name: 'retry: the backoff does not double',
    edits: [
      {
        file: retry,
        find: 'retry.backoff * 2 ** Math.min(failures, exponentMax)',
        replace: 'retry.backoff * (1 + Math.min(failures, exponentMax))',
      },
    ],
  },
  {
    name: 'parent: a child that failed does not answer',
    edits: [
      {
        file: append,
        find: 'if (told === undefined)',
        replace: "if (told === undefined || after.outcomeType !== 'ok')",
      },
    ],
  },
  {
    name: 'parent: it is told in a transaction of its own',
    edits: [
      { file: append, find: 'if (told === undefined)', replace: 'if (entries.length > 0)' },
      {
        file: storage,
        find: 'return write(() => advance(request, written), stateOf);',
        replace: [
          'return write(() => advance(request, written), stateOf).then(async (done) => {',
          '    const told = done.ok ? parentResponse(done.value) : undefined;',
          '    if (told === undefined) return done;',
          '    const entry = writeResponse(told.response, done.value.finishedAt);',
          '    const { executionId } = told;',
          '    const tell = function* () {',
          '        const notices = yield* respond({ executionId, entry });',
          '        return notices.ok ? { ok: true, value: { notices: notices.value } } : notices;',
          '    };',
          '    await write(tell, () => undefined);',
          '    return done;',
          '});',
        ].join('\n'),
      },
      {
        file: storage,
        find: "import { advance } from './advance.js';",
        replace: [
          "import { advance } from './advance.js';",
          "import { parentResponse } from '../model/parent-response.js';",
        ].join('\n'),
      },
    ],
  },
  {
    name: 'delay: it stays when it has ended',
    edits: [
      { file: respond, find: '[call(deleteDelay, response.delayId)] : []', replace: '[] : []' },
    ],
  },
  {
    name: 'delay: it outlives the workflow that asked for it',
    edits: [
      {
        file: 'src/storage/advance.js',
        find: 'for (const delayId of delays) {',
        replace: 'for (const delayId of delays.slice(1)) {',
      },
    ],
  },
  {
    name: 'delay: it fires a minute early',
    edits: [{ file: timers, find: 'd.due_at_ms <= $1', replace: 'd.due_at_ms <= $1 + 60000' }],
  },
  {
    name: 'storage: a busy database loses what was asked of it',
    edits: [
      {
        file: drive,
        find: 'if (isBusy(cause) && backoff.again(again))',
        replace: [
          'if (isBusy(cause)) this.#queue.length = 0;',
          'if (isBusy(cause) && backoff.again(again))',
        ].join('\n'),
      },
    ],
  },
  {
    name: 'storage: a write that met a busy database is reported as done',
    edits: [
      {
        file: drive,
        find: 'if (isBusy(cause) && backoff.again(again))',
        replace: [
          'if (isBusy(cause)) {',
          '    const swallowed = this.#queue.splice(0);',
          "    connection.control('SAVEPOINT one');",
          '    for (const write of swallowed) write.run(connection);',
          "    connection.control('ROLLBACK TO one');",
          "    connection.control('RELEASE one');",
          '    this.#answer(swallowed.map((write) => () => write.answer()));',
          '    return;',
          '}',
          'if (false)',
        ].join('\n'),
      },
    ],
  },
  {
    name: 'permits: a poll that fails keeps them',
    edits: [
      {
        file: executor,
        find: 'permits.giveBack(granted);\n            throw cause;',
        replace: 'throw cause;',
      },
    ],
  },
  {
    name: 'replay: responses are taken in another order',
    edits: [
      {
        file: 'src/workers/workflow/inbox.js',
        find: 'this.#ready.pop()',
        replace: 'this.#ready.shift()',
      },
    ],
  },
  {
    name: 'pause: what is paused is locked',
    edits: [
      {
        file: 'src/storage/lock.js',
        find: 'AND e.paused = 0 AND e.cancelling = 0',
        replace: 'AND e.cancelling = 0',
      },
      { file: decide, find: "return illegal('paused');", replace: 'return undefined;' },
    ],
  },
  {
    name: 'cancel: it is forgotten by whoever runs',
    edits: [
      {
        file: decide,
        find: 'return accept({ ...advance(state), cancelling: true });',
        replace: "return accept({ ...advance(state), cancelling: state.status !== 'locked' });",
      },
    ],
  },
  {
    name: 'cancel: it does not reach children',
    edits: [
      {
        file: 'src/storage/close-cancelled.js',
        find: 'children: children.map(executionIdOf),',
        replace: 'children: [],',
      },
    ],
  },
  {
    name: 'message: its id does not make it one',
    edits: [
      {
        file: 'src/storage/send.js',
        find: '...(messageId === undefined ? {} : { messageId }),',
        replace: '',
      },
    ],
  },
  {
    name: 'storage: who meets a database that cannot be read is set aside',
    edits: [
      {
        file: 'src/storage/row-fault.js',
        find: 'return file === undefined || isolated === true;',
        replace: 'return file === undefined || isolated !== false;',
      },
    ],
  },
]
