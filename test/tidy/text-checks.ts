/** What no file of the repository may contain: places that only its authors' machines have. */
import { type Check, findAll } from './findings.ts'

// Composed, so that this file does not contain what it forbids.
const hosts = [
  'regis' + String.raw`try\.[a-z0-9-]+\.(?:com|org|net|io|dev|cn|local|internal)`,
  'npm' + 'js',
].join('|')
const registry = new RegExp(String.raw`\b(?:${hosts})\b`, 'g')
const machine = new RegExp(
  `(?:${['/wo' + 'rk/', '/ho' + 'me/', '/Us' + 'ers/', '/ro' + 'ot/'].join('|')})`,
  'g',
)

/** Where packages come from is the installer's setting. */
export const registryHosts: Check = (file) =>
  findAll(file, registry, 'names the host of a registry')

/** A path of one machine means nothing on another. */
export const machinePaths: Check = (file) => findAll(file, machine, 'names a path of one machine')
