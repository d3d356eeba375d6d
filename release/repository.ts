import { type ExecFileSyncOptions, execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import manifest from '../package.json' with { type: 'json' }
import { runNpm } from './npm.ts'

/** The root of the repository. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url))
export const VERSION = manifest.version
/** In the form that Python uses (PEP 440). */
export const PYTHON_VERSION = toPython(VERSION)
/** False in an unpacked source archive, which has no history. Such an archive has only tracked files, until someone works in it. */
export const IS_CLONE = existsSync(join(ROOT, '.git'))

export function toPython(version: string): string {
  return version.replace(/-dev$/, '.dev0')
}

/** Reads a text file of the repository. */
export function read(path: string): string {
  return readFileSync(ROOT + path, 'utf8')
}

/** Runs a program in the repository. @returns its output */
export function run(program: string, ...args: readonly string[]): string {
  const options: ExecFileSyncOptions = { cwd: ROOT, maxBuffer: 1e9, stdio: ['ignore', 'pipe', 'inherit'] }
  return String(program === 'npm' ? runNpm(args, options) : execFileSync(program, args, options))
}

/**
 * The files that git tracks, in a folder or everywhere. Only these are released: a folder may also contain private keys, passwords, or the
 * output of an earlier build.
 */
export function trackedFiles(folder = '.'): string[] {
  const files = IS_CLONE ? git('ls-files', '-z', '--', folder).split('\0').filter(Boolean) : allFiles(folder)
  if (files.length === 0) throw new Error(`git tracks no file in ${folder}.`)
  return files
}

/** Works for any user, even if another user owns the repository. */
export function git(...args: readonly string[]): string {
  return run('git', '-c', 'safe.directory=*', ...args)
}

const NEVER_TRACKED = /(?:^|\/)(?:node_modules|dist)\/|^data\/|\.env$/

function allFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => relative(ROOT, join(parentPath, name)).split(sep).join('/'))
    .filter(file => !NEVER_TRACKED.test(file))
}

/** The time of every file in a release: the commit's, or `SOURCE_DATE_EPOCH`. This makes builds reproducible. */
export function releaseTime(): Date {
  const { SOURCE_DATE_EPOCH } = process.env
  if (SOURCE_DATE_EPOCH) return new Date(Number(SOURCE_DATE_EPOCH) * 1000)
  if (IS_CLONE) return new Date(Number(git('log', '-1', '--format=%ct')) * 1000)
  const { mtimeMs } = statSync(join(ROOT, 'package.json'))
  return new Date(Math.floor(mtimeMs / 1000) * 1000)
}
