/** What no source file may contain, whatever floor it stands on. */
import { type Check, findAll, withoutComments } from './findings.ts'

const columnsMax = 100

/** A line that must be scrolled is not read. */
export const longLines: Check = ({ path, text }) =>
  text
    .split('\n')
    .flatMap((line, index) =>
      line.length > columnsMax ? [`${path}:${index + 1}: ${line.length} columns`] : [],
    )

// Composed, so that this file does not contain what it forbids.
const marks = new RegExp(`\\b(?:${['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X'].join('|')})\\b`, 'g')

/** What is unfinished belongs in the tracker, not in the text. */
export const unfinishedMarks: Check = (file) => findAll(file, marks, 'a mark of unfinished work')

/** An error without a code cannot be recognised: only a SteleError may be thrown. */
export const plainErrors: Check = (file) =>
  findAll(
    withoutComments(file),
    /\bthrow\s+(?:new\s+)?(?:Type|Range|Syntax|Reference|Aggregate)?Error\s*\(/g,
    'throw a SteleError, which has a code',
  )

const ownersOfTheSystem = new Set([
  'src/base/time.ts',
  'src/base/random.ts',
  // The browser has a clock and timers of its own.
  'src/inspector/viewer/clock.ts',
])

/** The clock, the timers and the randomness of the system are asked in these files. */
export const systemTimeAndRandom: Check = (file) =>
  ownersOfTheSystem.has(file.path)
    ? []
    : findAll(
        withoutComments(file),
        /\bDate\s*\.\s*now\b|\bnew\s+Date\s*\(\s*\)|\bMath\s*\.\s*random\b|\bset(?:Timeout|Interval|Immediate)\b(?!:)/g,
        'time and randomness come in as arguments',
      )

/** A database that looks at its own clock, or rolls its own dice, cannot be simulated. */
export const sqlTimeAndRandom: Check = (file) =>
  findAll(
    withoutComments(file),
    /(?<![.\w])(?:datetime|strftime|julianday|unixepoch|randomblob|random|gen_random_uuid|now|clock_timestamp)\s*\(\s*(?:\)|'|\d)|\bCURRENT_(?:TIMESTAMP|TIME|DATE)\b/g,
    'SQL holds no clock and no randomness',
  )

/** A suppression says why it is right. */
export const bareSuppressions: Check = (file) =>
  findAll(
    file,
    /(?:oxlint|biome)-(?:disable|ignore)(?:(?!\s--\s\S|:\s\S)[^\n])*$/gm,
    'a suppression needs ` -- reason`',
  )

/** The client names types of xstate in its signatures and runs none of its code. */
export const xstateValues: Check = (file) =>
  file.path.startsWith('src/client/')
    ? findAll(
        withoutComments(file),
        /\b(?:import|export)\s+(?!type\b)[^'";]*\bfrom\s+['"]xstate['"]|\bimport\s*\(?\s*['"]xstate['"]/g,
        'only types of xstate',
      )
    : []

/** A browser has none of the house: its half knows preact, itself, and the types of what is said. */
export const viewerImports: Check = (file) =>
  findAll(
    withoutComments(file),
    /(?:\bfrom|\bimport)\s+'(?!\.\/|preact(?:\/hooks)?'|\.\.\/server\/wire\.ts')[^']*'|\bimport\s+(?!type\b)[^']*'\.\.\/server\/wire\.ts'/g,
    'the viewer imports preact, itself and the types of the wire',
  )

/** Whatever is shown is text: markup is never made of it. */
export const viewerMarkup: Check = (file) =>
  findAll(
    withoutComments(file),
    /\b(?:dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval|DOMParser|createContextualFragment)\b/g,
    'the viewer makes no markup of text',
  )
