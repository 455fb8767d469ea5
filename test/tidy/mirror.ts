/** Tests mirror the source: one test file a source file, at the same path. */
import { type HouseFile, withoutComments } from './findings.ts'

const mirrored =
  /^(?:src\/(?:base|model|storage|engine|workers|client|inspector|cli)|machines)\/.*\.ts$/

/** What only a browser can run is tested in one, as a whole. */
const inBrowser = /^src\/inspector\/viewer\/(?:event-pages|hooks|live|position|stately)\.ts$/

/** Whether a file does anything; one of types alone is tested by the compiler. */
function hasCode(file: HouseFile): boolean {
  return /^(?:export )?(?:async )?(?:const|let|function|class)\b/m.test(withoutComments(file).text)
}

function unitTestOf(path: string): string {
  return `test/unit/${path.replace(/^src\//, '').replace(/\.ts$/, '.test.ts')}`
}

/** A transaction is tested once, for every database, in the contract of the storage. */
function contractOf(path: string): string {
  return path.replace(/^src\/storage\/([^/]+)\.ts$/, 'test/contract/$1.contract.ts')
}

/** Source files without a test of their own. */
export function untested(files: readonly HouseFile[]): string[] {
  const tests = new Set(files.map(({ path }) => path).filter((path) => path.startsWith('test/')))
  return files
    .filter((file) => mirrored.test(file.path) && !inBrowser.test(file.path) && hasCode(file))
    .map(({ path }) => path)
    .filter((path) => !tests.has(unitTestOf(path)) && !tests.has(contractOf(path)))
    .map((path) => `${path}: lacks ${unitTestOf(path)}`)
}

/** Unit tests whose source file is gone. */
export function sourceless(files: readonly HouseFile[]): string[] {
  const tests = new Set(
    files
      .filter(({ path }) => /^(?:src|machines)\//.test(path))
      .map(({ path }) => unitTestOf(path)),
  )
  return files
    .map(({ path }) => path)
    .filter((path) => /^test\/unit\/.*\.test\.ts$/.test(path) && !tests.has(path))
}
