import { execFileSync, type StdioOptions } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { releaseNotes } from './changelog.ts'
import { git, ROOT } from './repository.ts'

/**
 * Makes a release: sets the version, runs every check, tags the commit, and builds all files with the release notes.
 *
 *     npm run release:make -- 1.2.0               npm run release:make -- 1.2.0 --platform linux-x64 --out FOLDER
 *
 * All of it happens in a fresh clone. This repository gets the commits and the tag at the end, so a failure changes nothing here.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { platform: { type: 'string', multiple: true, default: [] }, out: { type: 'string' } },
})
const [version = ''] = positionals
const numbers = /^(\d+)\.(\d+)\.\d+$/.exec(version)
if (!numbers || positionals.length > 1) fail('Specify the version, for example: npm run release:make -- 1.2.0', 2)
const nextVersion = `${numbers[1]}.${Number(numbers[2]) + 1}.0-dev`
const tag = `v${version}`
const out = resolve(values.out ?? join(ROOT, 'dist'))
const branch = git('branch', '--show-current').trim()
if (branch === '') fail('Check out the branch that is released.')
if (git('status', '--porcelain') !== '') fail('There are uncommitted changes.')
if (git('tag', '--list', tag) !== '') fail(`There is already a tag ${tag}.`)
const hadOut = existsSync(out)
if (hadOut && readdirSync(out).length > 0) fail(`The folder ${out} is not empty.`)

const clone = mkdtempSync(join(tmpdir(), 'petstore-release-'))
try {
  // Throws if nothing has been noted since the last release.
  releaseNotes(nextVersion)
  const identity = ['user.name', 'user.email'].flatMap(name => ['--config', `${name}=${git('config', name).trim()}`])
  git('clone', '--quiet', '--branch', branch, ...identity, ROOT, clone)
  setVersion(version)
  commit(`Release ${version}`)
  inClone(join(clone, '.ci/run'))
  inClone('git', 'tag', '--annotate', tag, '--message', `Petstore ${version}`)
  const platforms = values.platform.flatMap(name => ['--platform', name])
  inClone('npm', 'run', 'release', '--', '--out', out, ...platforms)
  setVersion(nextVersion)
  commit(`Begin ${nextVersion}`)
  git('pull', '--quiet', '--ff-only', '--tags', clone, branch)
  console.log(`Released ${version} into ${out}. Have it checked, then sign SHA256SUMS and push ${branch} and ${tag}.`)
} catch (error) {
  rmSync(out, { recursive: true, force: true })
  if (hadOut) mkdirSync(out)
  console.error(`error: Nothing was released. ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
} finally {
  rmSync(clone, { recursive: true, force: true })
}

function setVersion(wanted: string): void {
  inClone(process.execPath, 'release/set-version.ts', wanted)
}

function commit(message: string): void {
  inClone('git', 'commit', '--quiet', '--all', '--message', message)
}

function inClone(program: string, ...args: readonly string[]): void {
  const stdio: StdioOptions = ['ignore', 'inherit', 'inherit']
  execFileSync(program, args, { cwd: clone, stdio, env: { ...process.env, CI: 'true' } })
}

function fail(message: string, code = 1): never {
  console.error(`error: ${message}`)
  process.exit(code)
}
