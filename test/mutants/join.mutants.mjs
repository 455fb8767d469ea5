// Polls that join the commit which makes their work due.

const executor = 'src/engine/executor.ts'
const joinTests = ['test/pitfalls/polls-join-commits.test.ts']

export const mutants = [
  {
    name: 'executor: a poll is too late for the commit that it was told of',
    file: executor,
    find: 'this.#isWoken = true',
    replace: 'this.#isWoken = false',
    tests: joinTests,
    killedBy: /is locked with the commit that creates it/,
  },
  {
    name: 'executor: a poll that fails before it looks is made again at once',
    file: executor,
    find: 'which is no reason to try again at once.\n    this.#wakeUp.beginPoll()',
    replace: 'which is no reason to try again at once.',
    tests: joinTests,
    killedBy: /notice: of work that cannot be looked for is not tried again at once/,
  },
  {
    name: 'storage: what was announced is told again after the commit',
    file: 'src/storage/storage.ts',
    find: 'isAnnounced = true',
    replace: 'isAnnounced = false',
    tests: joinTests,
    killedBy: /is locked by one poll when much of it comes at once/,
  },
  {
    name: 'sqlite: nobody is told before the commit',
    file: 'src/storage/sqlite/group.ts',
    find: '    write.accept()\n',
    replace: '',
    tests: joinTests,
    killedBy: /is locked with the commit that creates it/,
  },
  {
    name: 'sqlite: who has joined takes the others with it',
    file: 'src/storage/sqlite/group.ts',
    find: 'group.at(-1)?.isJoined === true',
    replace: 'group.at(-1)?.isJoined === false',
    tests: joinTests,
    killedBy: /SQLITE_IOERR_READ: takes nobody with it/,
  },
  {
    name: 'sqlite: who is run again is told of again',
    file: 'src/storage/sqlite/group.ts',
    find: 'this.#isTold = true',
    replace: 'this.#isTold = false',
    tests: joinTests,
    killedBy: /SQLITE_CORRUPT: takes nobody with it/,
  },
  {
    name: 'sqlite: who reads within a transaction sees what is not committed',
    file: 'src/storage/sqlite/drive.ts',
    find: 'this.#isInGroup = true',
    replace: 'this.#isInGroup = false',
    tests: ['test/unit/storage/sqlite/drive.test.ts'],
    killedBy: /is seen by nobody who reads before the commit/,
  },
]
