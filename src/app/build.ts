import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import manifest from '../../package.json' with { type: 'json' }
import type { Build } from '../operator/running-service.ts'

/** The folder with package.json; in a release, the folder of the archive. */
const ROOT = new URL('../../', import.meta.url)
/** A slow disk must not hold up the start. */
const GIT_TIMEOUT_MS = 2_000

let own: Promise<Build> | undefined

export function ownBuild(): Promise<Build> {
  own ??= findBuild(ROOT)
  return own
}

/** A release has the commit in a file; in a checkout, git knows it. Without either, it is unknown. */
export async function findBuild(root: URL): Promise<Build> {
  const { version } = manifest
  const file = new URL('build.json', root)
  if (existsSync(file)) return { version, ...JSON.parse(await readFile(file, 'utf8')) }
  const unknown = { version, commit: null, builtAt: null }
  // Otherwise, git would answer for a repository that contains this folder.
  if (!existsSync(new URL('.git', root))) return unknown
  try {
    const [commit, seconds] = await Promise.all([
      git(root, 'describe', '--always', '--exclude=*', '--abbrev=40', '--dirty'),
      git(root, 'log', '-1', '--format=%ct'),
    ])
    return { version, commit, builtAt: new Date(Number(seconds) * 1_000).toISOString() }
  } catch {
    return unknown
  }
}

async function git(root: URL, ...args: readonly string[]): Promise<string> {
  // The service may run as another user than the one who owns the checkout.
  const options = ['--no-optional-locks', '-c', 'safe.directory=*', ...args]
  const { stdout } = await promisify(execFile)('git', options, { cwd: root, timeout: GIT_TIMEOUT_MS })
  return stdout.trim()
}
