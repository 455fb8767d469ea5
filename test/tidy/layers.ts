/** The floors of the house as rules for dependency-cruiser. Says what may import what, and why. */
import { cruise, type IForbiddenRuleType, type IViolation } from 'dependency-cruiser'

/** Ground first. A file may import from its own floor and from those below it. */
const floors: readonly (readonly [name: string, path: string])[] = [
  ['base', '^src/base/'],
  ['model', '^src/model/'],
  ['machines', '^machines/'],
  ['storage', '^src/storage/[^/]+\\.ts$'],
  ['adapters', '^src/storage/(sqlite|postgres)/'],
  ['engine', '^src/engine/'],
  ['workers', '^src/workers/'],
  ['client', '^src/client/'],
  ['inspector', '^src/inspector/'],
  ['simulation', '^src/simulation/'],
  ['cli', '^src/cli/'],
  ['faces', '^src/[^/]+\\.ts$'],
]

/** Each package that matters has one owner, so that replacing it stays one room's work. */
const owners: Readonly<Record<string, string>> = {
  'better-sqlite3': '^src/storage/sqlite/',
  preact: '^src/inspector/',
  ws: '^src/inspector/',
  commander: '^src/cli/',
  devalue: '^src/base/',
  elkjs: '^src/inspector/',
  pino: '^src/client/',
  ulid: '^src/base/',
  xstate: '^(machines|src/(engine|workers|client|inspector|simulation))/',
}

const adapters = '^src/storage/(sqlite|postgres)/'
const compositionRoot = '^src/client/open-storage\\.ts$'
/** The command line looks into files that no engine has opened. */
const rootsOfTheCommandLine = '^src/cli/(open-database|doctor/examine)\\.ts$'
const faceOfAnAdapter = '^src/(sqlite|postgres)\\.ts$'

function upward(): IForbiddenRuleType[] {
  return floors.slice(0, -1).map(([name, path], index) => ({
    name: `${name}-imports-upward`,
    severity: 'error',
    from: { path },
    to: { path: floors.slice(index + 1).map(([, above]) => above) },
  }))
}

function owned(): IForbiddenRuleType[] {
  return Object.entries(owners).map(([name, path]) => ({
    name: `${name}-outside-its-owner`,
    severity: 'error',
    from: { path: '^(src|machines)/', pathNot: path },
    to: { path: `node_modules/${name}/` },
  }))
}

/** Every rule of the house. */
export const rules: readonly IForbiddenRuleType[] = [
  ...upward(),
  ...owned(),
  {
    // A user of one database must never load the driver of the other.
    name: 'engine-knows-only-the-port',
    severity: 'error',
    from: {
      path: '^src/',
      pathNot: [adapters, compositionRoot, rootsOfTheCommandLine, faceOfAnAdapter],
    },
    to: { path: adapters },
  },
  {
    name: 'root-loads-adapters-on-demand',
    severity: 'error',
    from: { path: [compositionRoot, rootsOfTheCommandLine] },
    to: { path: adapters, dynamic: false },
  },
  {
    name: 'adapters-are-strangers',
    severity: 'error',
    from: { path: adapters },
    to: { path: adapters, pathNot: '^src/storage/$1/' },
  },
  {
    name: 'pure-floors-touch-no-node',
    severity: 'error',
    from: { path: '^(src/(base|model)/|machines/)' },
    to: { dependencyTypes: ['core'] },
  },
  // An import that leads nowhere would slip past every rule above.
  { name: 'imports-resolve', severity: 'error', from: {}, to: { couldNotResolve: true } },
  { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
  {
    name: 'no-orphans',
    severity: 'error',
    from: { orphan: true, path: '^(src|machines)/' },
    to: {},
  },
]

/** The half of the viewer that runs in a browser. */
const browserHalf = '^src/inspector/viewer/'

/** What a cruise saw: the modules of the house, and which arrow broke which rule. */
export interface Cruise {
  readonly modules: readonly string[]
  readonly violations: readonly {
    readonly rule: string
    readonly from: string
    readonly to: string
  }[]
}

/** Follows every import, types included, of `src` and `machines` below a folder. */
export async function cruiseHouse(baseDir: string): Promise<Cruise> {
  const { output } = await cruise(['src', 'machines'], {
    baseDir,
    ruleSet: { forbidden: [...rules] },
    validate: true,
    doNotFollow: { path: 'node_modules' },
    // The parser cannot read TSX; what the browser's half imports is looked at by a check of text.
    exclude: { path: browserHalf },
    tsPreCompilationDeps: true,
    parser: 'swc',
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'node', 'default'],
    },
  })
  if (typeof output === 'string') throw new TypeError('dependency-cruiser answered with text')
  return {
    modules: output.modules
      .map(({ source }) => source)
      .filter((path) => /^(src|machines)\//.test(path)),
    violations: output.summary.violations.map(shortened),
  }
}

function shortened({ rule, from, to }: IViolation): Cruise['violations'][number] {
  return { rule: rule.name, from, to }
}
