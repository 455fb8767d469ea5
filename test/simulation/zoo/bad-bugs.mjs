/** Bugs that cannot be put where they belong: the zoo has to say so, not to go on without them. */

const file = 'src/model/retry.js'

export const bugs = [
  { name: 'nowhere', edits: [{ file, find: 'no such text', replace: '' }] },
  { name: 'twice', edits: [{ file, find: 'failures', replace: '' }] },
]
