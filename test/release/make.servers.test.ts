import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import manifest from '../../package.json' with { type: 'json' }
import { IS_CLONE, ROOT } from '../../release/repository.ts'
import { PLATFORMS } from '../../release/runtimes.ts'
import { skip } from '../support/servers/needs.ts'

// The whole way from a branch to its tag and its files, in a copy of the repository. Only the checks are replaced.

const platform = PLATFORMS.find(({ package: name }) => existsSync(join(ROOT, 'node_modules', name)))?.name ?? ''
const [major = '', minor = ''] = manifest.version.split('.')
const next = `${major}.${Number(minor) + 1}.0-dev`
const version = manifest.version.replace('-dev', '')

interface Copy {
  folder: string
  out: string
  git(...args: string[]): string
  make(...args: string[]): { code: number | null; output: string }
}

/** @param checks the end of the script that replaces `.ci/run` */
function copyRepository(t: TestContext, checks: string): Copy {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-make-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'safe.directory=*', ...args], { encoding: 'utf8' })
  execFileSync('git', ['-c', 'safe.directory=*', 'clone', '--quiet', ROOT, folder])
  for (const [name, value] of [
    ['user.name', 'Anna'],
    ['user.email', 'anna@example.com'],
  ] as const)
    git('config', name, value)
  git('checkout', '--quiet', '-B', 'main')
  const packages = ['node_modules', 'tools/node_modules']
  for (const name of packages) symlinkSync(join(ROOT, name), join(folder, name))
  const links = packages.map(name => `ln -s ${join(ROOT, name)} ${name}`).join('\n')
  writeFileSync(join(folder, '.ci/run'), `#!/bin/sh\ncd "$(dirname "$0")/.."\n${links}\n${checks}\n`)
  git('commit', '--quiet', '--all', '--message', 'Replace the checks')
  const out = join(folder, 'dist/release')
  return {
    ...{ folder, out, git },
    make(...args) {
      const program = [join(folder, 'release/make.ts'), '--out', out, '--platform', platform, ...args]
      const { status, stdout, stderr } = spawnSync(process.execPath, program, { cwd: folder, encoding: 'utf8' })
      return { code: status, output: stdout + stderr }
    },
  }
}

function canMake(t: TestContext): boolean {
  return IS_CLONE || skip(t, 'this is not a clone')
}

test('one command checks, tags and builds a release, and begins the next version', { timeout: 900_000 }, t => {
  if (!canMake(t)) return
  const { folder, out, git, make } = copyRepository(t, 'echo checked')
  const { code, output } = make(version)
  assert.equal(code, 0, output)
  assert.match(output, /^checked$/m)
  assert.deepEqual(git('log', '-3', '--format=%s').trim().split('\n'), [
    `Begin ${next}`,
    `Release ${version}`,
    'Replace the checks',
  ])
  assert.equal(git('cat-file', '-t', `v${version}`).trim(), 'tag')
  assert.equal(git('rev-parse', `v${version}^{commit}`), git('rev-parse', 'HEAD~1'))
  assert.match(git('show', `v${version}:package.json`), new RegExp(`"version": "${version}"`))
  assert.match(readFileSync(join(folder, 'package.json'), 'utf8'), new RegExp(`"version": "${next}"`))
  assert.equal(git('status', '--porcelain'), '')
  const files = readdirSync(out)
  for (const name of [`petstore-${version}-${platform}.tar.gz`, 'RELEASE-NOTES.md', 'SHA256SUMS']) {
    assert.ok(files.includes(name), files.join(' '))
  }
  assert.match(readFileSync(join(out, 'RELEASE-NOTES.md'), 'utf8'), /^### Added$/m)
})

test('a release that fails its checks leaves no trace', { timeout: 900_000 }, t => {
  if (!canMake(t)) return
  const { folder, out, git, make } = copyRepository(t, 'exit 1')
  const before = git('rev-parse', 'HEAD')
  const { code, output } = make(version)
  assert.deepEqual([code, git('rev-parse', 'HEAD'), git('tag'), existsSync(out)], [1, before, git('tag'), false])
  assert.match(output, /^error: Nothing was released\. /m)
  assert.equal(git('tag', '--list', `v${version}`), '')
  for (const [args, message] of [
    [['1.2'], /Specify the version/],
    [[`${version}-dev`], /Specify the version/],
  ] as const) {
    assert.match(make(...args).output, message)
  }
  writeFileSync(join(folder, 'README.md'), 'changed')
  assert.match(make(version).output, /There are uncommitted changes/)
})
