import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import manifest from '../../package.json' with { type: 'json' }
import { temporaryFolder } from '../../test/support/folder.ts'
import { needs } from '../../test/support/servers/needs.ts'
import { findBuild } from './build.ts'

const { version } = manifest
const UNKNOWN = { version, commit: null, builtAt: null }

test('the commit of a release is in its file', async t => {
  const folder = await temporaryFolder(t)
  const build = { commit: 'f00d', builtAt: '2026-11-28T10:00:00.000Z' }
  await writeFile(join(folder, 'build.json'), JSON.stringify(build))
  assert.deepEqual(await find(folder), { version, ...build })
})

test('the commit of a checkout is that of git, and says if files have changed', async t => {
  if (!needs(t, 'git')) return
  const folder = await temporaryFolder(t)
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Sam', '-c', 'user.email=sam@example.com', ...args], {
      cwd: folder,
      encoding: 'utf8',
    }).trim()
  git('init', '--quiet')
  await writeFile(join(folder, 'a.txt'), 'one')
  git('add', 'a.txt')
  git('commit', '--quiet', '--message', 'One', '--date', '2026-11-01T10:00:00Z')
  git('tag', 'v1.0.0')
  const commit = git('rev-parse', 'HEAD')
  const builtAt = new Date(git('log', '-1', '--format=%cI')).toISOString()
  await writeFile(join(folder, 'untracked.txt'), 'one')
  assert.deepEqual(await find(folder), { version, commit, builtAt })
  await writeFile(join(folder, 'a.txt'), 'two')
  assert.deepEqual(await find(folder), { version, commit: `${commit}-dirty`, builtAt })

  const inner = join(folder, 'petstore')
  await mkdir(inner)
  assert.deepEqual(await find(inner), UNKNOWN, 'the repository around a folder is another one')
})

test('without a file and without git, the commit is unknown', async t => {
  const folder = await temporaryFolder(t)
  assert.deepEqual(await find(folder), UNKNOWN)
  await mkdir(join(folder, '.git'))
  assert.deepEqual(await find(folder), UNKNOWN, 'git refuses a repository that is none')
})

const find = (folder: string) => findBuild(pathToFileURL(`${folder}/`))
