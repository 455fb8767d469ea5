/** Where machines come from: the engine itself, a database, or a module of the user. */

import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { SteleError } from '../base/error.ts'
import type { JsonObject } from '../base/json.ts'
import { readMember } from '../base/options.ts'
import type { chartOf } from '../inspector/chart.ts'
import { listFunctions } from '../storage/registry.ts'
import { nearestNames, suggestion } from './nearest.ts'
import { openForReading, useDatabase } from './open-database.ts'
import type { World } from './world.ts'

/** A machine, and what it is called where it comes from. */
export interface FoundMachine {
  readonly name: string
  readonly machine: Machine
}

/** What charts are made of. */
export type Machine = Parameters<typeof chartOf>[0]

/** The machines of a source: a name of the engine's own, a database, or a module. */
export async function findMachines(world: World, source: string): Promise<readonly FoundMachine[]> {
  const own = await engineMachines()
  const named = own.filter(({ name }) => name === source)
  if (named.length > 0) return named
  if (source === 'engine') return own
  if (!existsSync(source)) throw noSource(source, own)
  return isSqlite(source) ? storedMachines(world, source) : moduleMachines(source)
}

async function engineMachines(): Promise<readonly FoundMachine[]> {
  const { executionMachine } = await import('../../machines/execution.ts')
  const { executorMachine } = await import('../../machines/executor.ts')
  const { lockedExecutionMachine } = await import('../../machines/locked-execution.ts')
  const { timersWatcherMachine } = await import('../../machines/timers-watcher.ts')
  return [
    { name: 'execution', machine: executionMachine },
    { name: 'executor', machine: executorMachine },
    { name: 'locked-execution', machine: lockedExecutionMachine },
    { name: 'timers-watcher', machine: timersWatcherMachine },
  ]
}

function noSource(source: string, own: readonly FoundMachine[]): SteleError {
  const names = own.map(({ name }) => name)
  return new SteleError(
    'invalid_option',
    `There is no file ${JSON.stringify(source)}.${suggestion(nearestNames(source, names))} ` +
      'Give a database, a module that exports a machine, or a machine of the engine: ' +
      `${names.join(', ')}.`,
    { fields: { source } },
  )
}

/** How every SQLite file begins. */
const sqliteHeader = 'SQLite format 3\0'

function isSqlite(file: string): boolean {
  const bytes = Buffer.alloc(sqliteHeader.length)
  const handle = openSync(file, 'r')
  try {
    readSync(handle, bytes, 0, bytes.length, 0)
  } finally {
    closeSync(handle)
  }
  return bytes.toString('latin1') === sqliteHeader
}

/** The machines that engines have registered, in the version seen last. */
async function storedMachines(world: World, file: string): Promise<readonly FoundMachine[]> {
  return useDatabase(openForReading(world, file), async ({ driver }) => {
    const functions = await driver.read(() => listFunctions())
    const machines = new Map<string, FoundMachine>()
    const inOrder = functions.toSorted((left, right) => left.lastSeenAt - right.lastSeenAt)
    for (const { function: fn, definition } of inOrder) {
      if (definition === undefined) continue
      machines.set(fn.name, { name: fn.name, machine: parseDefinition(definition, fn.name) })
    }
    return [...machines.values()]
  })
}

function parseDefinition(text: string, name: string): JsonObject {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- XState judges what it says
    return JSON.parse(text) as JsonObject
  } catch (cause) {
    throw new SteleError(
      'storage_corrupt',
      `The stored definition of ${name} is not JSON. ` +
        'Something other than Stele wrote to the database; restore it from a backup.',
      { fields: { functionName: name }, cause },
    )
  }
}

async function moduleMachines(file: string): Promise<readonly FoundMachine[]> {
  const exported = await importModule(file)
  return Object.entries(exported).flatMap(([name, value]) =>
    isMachine(value) ? [{ name, machine: value }] : [],
  )
}

async function importModule(file: string): Promise<object> {
  try {
    const module: unknown = await import(pathToFileURL(resolve(file)).href)
    return typeof module === 'object' && module !== null ? module : {}
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new SteleError(
      'invalid_option',
      `${JSON.stringify(file)} cannot be loaded as a module: ${reason}. ` +
        'Give compiled JavaScript, or run stele with a Node that runs TypeScript.',
      { fields: { source: file }, cause },
    )
  }
}

/** By what it can do: the module may have a copy of XState of its own. */
function isMachine(value: unknown): value is Machine {
  return (
    typeof readMember(value, 'getInitialSnapshot') === 'function' &&
    typeof readMember(value, 'config') === 'object' &&
    typeof readMember(value, 'root') === 'object'
  )
}

/** One of the machines found: by its name, by the id of the machine, or the only one there is. */
export function chooseMachine(
  found: readonly FoundMachine[],
  source: string,
  name: string | undefined,
): FoundMachine {
  const names = found.map((one) => one.name)
  const [only] = found
  if (only === undefined) {
    throw new SteleError(
      'unknown_function',
      `${source} has no machine. Give a database in which an engine has registered one, or a ` +
        'module that exports one.',
      { fields: { source } },
    )
  }
  if (name === undefined) {
    if (found.length === 1) return only
    throw new SteleError(
      'invalid_option',
      `${source} has ${found.length} machines. Name one of them: ${names.join(', ')}.`,
      { fields: { source, names } },
    )
  }
  const chosen =
    found.find((one) => one.name === name) ??
    found.find(({ machine }) => readMember(machine, 'id') === name)
  if (chosen !== undefined) return chosen
  throw new SteleError(
    'unknown_function',
    `${source} has no machine ${JSON.stringify(name)}.${suggestion(nearestNames(name, names))} ` +
      `There ${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}.`,
    { fields: { source, name, names } },
  )
}
