import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { skip } from './needs.ts'

/** The release before this version, by its commit; docs/releasing.md says when to change it. */
export const PREVIOUS_RELEASE = { version: '1.1.0', commit: 'c2eb59c9a54eaca6fc60a4bbd49c0d0e53bb3d55' }

/** Why its tests are skipped: not every machine can run them. */
export const NO_HISTORY = 'this checkout does not have the history of the repository'

/** Works even if another user owns the checkout, as in some containers. */
const ANY_OWNER = ['-c', 'safe.directory=*']

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
/** Node does not run TypeScript below node_modules. */
const FOLDER = join(ROOT, '.cache/previous-release', PREVIOUS_RELEASE.commit)

/**
 * The program of the previous release, from this repository's history and with its own packages. It is cached for later runs. Skips the test, with a
 * warning, if the history or the package registry is missing.
 */
export function previousRelease(t: TestContext): string | undefined {
  const program = join(FOLDER, 'bin/petstore.ts')
  if (existsSync(program)) return program
  if (!hasHistory()) {
    t.skip(NO_HISTORY)
    return undefined
  }
  const partial = `${FOLDER}-${process.pid}`
  try {
    mkdirSync(partial, { recursive: true })
    const archive = execFileSync('git', [...ANY_OWNER, 'archive', PREVIOUS_RELEASE.commit], {
      cwd: ROOT,
      maxBuffer: 1e9,
      stdio: 'pipe',
    })
    execFileSync('tar', ['-x', '-C', partial], { input: archive })
    execFileSync('npm', ['ci', '--omit=dev', '--omit=optional', '--ignore-scripts'], { cwd: partial, stdio: 'pipe' })
    renameSync(partial, FOLDER)
  } catch (error) {
    if (existsSync(program)) return program
    skip(t, `version ${PREVIOUS_RELEASE.version} cannot be installed (${(error as Error).message.split('\n')[0]})`)
    return undefined
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
  return program
}

/** A shallow clone and an unpacked archive lack it. */
function hasHistory(): boolean {
  return spawnSync('git', [...ANY_OWNER, 'cat-file', '-e', PREVIOUS_RELEASE.commit], { cwd: ROOT }).status === 0
}
