import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import manifest from '../package.json' with { type: 'json' }

/** The repository that is released. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url))
export const VERSION = manifest.version

/** A text of the repository. */
export function read(path: string): string {
  return readFileSync(ROOT + path, 'utf8')
}

/** Runs a program in the repository. @returns what it printed */
export function run(program: string, ...args: readonly string[]): string {
  const shell = process.platform === 'win32'
  return execFileSync(program, args, {
    cwd: ROOT,
    encoding: 'utf8',
    shell,
    maxBuffer: 1e9,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** The time that every file of a release has: that of the commit, or `SOURCE_DATE_EPOCH`, so that two builds are alike. */
export function releaseTime(): Date {
  const seconds = process.env.SOURCE_DATE_EPOCH ?? run('git', 'log', '-1', '--format=%ct')
  return new Date(Number(seconds) * 1000)
}
