import { type ExecFileSyncOptions, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import manifest from '../package.json' with { type: 'json' }
import { runNpm } from './npm.ts'

/** The repository that is released. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url))
export const VERSION = manifest.version

/** A text of the repository. */
export function read(path: string): string {
  return readFileSync(ROOT + path, 'utf8')
}

/** Runs a program in the repository. @returns what it printed */
export function run(program: string, ...args: readonly string[]): string {
  const options: ExecFileSyncOptions = { cwd: ROOT, maxBuffer: 1e9, stdio: ['ignore', 'pipe', 'inherit'] }
  return String(program === 'npm' ? runNpm(args, options) : execFileSync(program, args, options))
}

/**
 * The files that git tracks, in a folder or everywhere. Only these are released: besides them, a folder may have private keys, passwords, or
 * what an earlier build left.
 */
export function trackedFiles(folder = '.'): string[] {
  const files = run('git', 'ls-files', '-z', '--', folder).split('\0').filter(Boolean)
  if (files.length === 0)
    throw new Error(`git tracks no file in ${folder}: build a release in a clone of the repository.`)
  return files
}

/** The time that every file of a release has: that of the commit, or `SOURCE_DATE_EPOCH`, so that two builds are alike. */
export function releaseTime(): Date {
  const seconds = process.env.SOURCE_DATE_EPOCH ?? run('git', 'log', '-1', '--format=%ct')
  return new Date(Number(seconds) * 1000)
}
