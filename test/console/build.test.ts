import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import { mediaTypeOf } from '../../src/pages/media-type.ts'
import type { Cleanup } from '../support/cleanup.ts'
import { temporaryFolder } from '../support/folder.ts'

// console/build.ts in a copy of the sources, and bin/build.js, which npm start runs first.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Built once, because the tests that only read it share it. */
const built = await copySources({ after })
const OLD_ASSET = 'console/dist/assets/index-old.js'
mkdirSync(dirname(join(built, OLD_ASSET)), { recursive: true })
writeFileSync(join(built, OLD_ASSET), '')
const sources = filesOf(built)
build(built, { TZ: 'Asia/Tokyo', HOME: '/nonexistent' })

test('two builds in different folders are identical, simultaneous or one after the other', async t => {
  const other = await copySources(t)
  const both = ['a', 'b'].map(() => `"${process.execPath}" console/build.ts`).join(' & ')
  execFileSync('sh', ['-c', `${both} & wait`], { cwd: other, env: { NODE_ENV: 'development', VITE_X: '1' } })
  const files = filesOf(join(built, 'console/dist'))
  assert.ok(files.size > 4)
  assert.deepEqual(filesOf(join(other, 'console/dist')), files)
})

test('a build writes nothing but its folder, and the same sources are not built again', async t => {
  for (const [name, content] of filesOf(built)) {
    if (!name.startsWith('console/dist/')) assert.equal(content, sources.get(name), name)
  }
  const root = await copyBuilt(t)
  const index = join(root, 'console/dist/index.html')
  writeFileSync(index, 'still there')
  build(root)
  assert.equal(readFileSync(index, 'utf8'), 'still there')
})

test('the built files are served, and those of an earlier build are gone', () => {
  const dist = join(built, 'console/dist')
  const assets = readdirSync(join(dist, 'assets'))
  assert.ok(!assets.includes(basename(OLD_ASSET)))
  for (const name of assets.filter(one => !one.endsWith('.br'))) {
    assert.ok(mediaTypeOf(name), name)
    const content = readFileSync(join(dist, 'assets', name))
    assert.deepEqual(brotliDecompressSync(readFileSync(join(dist, 'assets', `${name}.br`))), content)
  }
  const html = readFileSync(join(dist, 'index.html'), 'utf8')
  assert.match(html, /<base href="\.\/">/)
  const named = [...html.matchAll(/(?:src|href)="\.\/assets\/([^"]+)"/g)].map(([, name = '']) => name)
  assert.ok(named.length >= 2)
  assert.deepEqual(
    named.filter(name => !assets.includes(name)),
    [],
  )
  assert.doesNotMatch(html, /<style|<script(?![^>]*\bsrc=)|\bstyle=|https?:/)
})

test('a build lists the packages that it contains', () => {
  const { packages } = JSON.parse(readFileSync(join(built, 'console/dist/built.json'), 'utf8'))
  for (const name of ['react-dom', '@tanstack/react-router', '@base-ui/react']) {
    assert.ok(packages.includes(`node_modules/${name}`), name)
  }
  assert.ok(!packages.includes('node_modules/vite'))
})

test('other sources are built again; npm start warns of a console that cannot be built, and starts', async t => {
  const root = await copyBuilt(t)
  // A part of the service that the console has too.
  appendFileSync(join(root, 'src/domain/undone-label.ts'), 'this is not a program')
  const failed = beforeStart(root)
  assert.equal(failed.status, 0)
  assert.match(failed.stderr, /^warning: The console could not be built\. /m)
})

test('without the packages that only a build needs, npm start says why there is no console and no page; what was built stays', async t => {
  const root = await copySources(t)
  rmSync(join(root, 'node_modules'))
  mkdirSync(join(root, 'node_modules/commander'), { recursive: true })
  const { status, stderr } = beforeStart(root)
  assert.equal(status, 0)
  assert.match(
    stderr,
    /^warning: The console could not be built\. Run "npm ci" without --omit=dev\. Cannot find package/m,
  )
  assert.match(
    stderr,
    /^warning: The pages could not be built\. Run "npm ci" without --omit=dev\. Cannot find package/m,
  )
  const complete = await copyBuilt(t)
  rmSync(join(complete, 'node_modules'))
  mkdirSync(join(complete, 'node_modules/commander'), { recursive: true })
  assert.equal(beforeStart(complete).stderr, '')
})

test('before npm ci, the build leaves the message to the service', async t => {
  const root = await copySources(t)
  rmSync(join(root, 'node_modules'))
  const { status, stderr } = beforeStart(root)
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
})

/** The input of a build, without the output of an earlier one. */
async function copySources(t: Cleanup): Promise<string> {
  const root = await temporaryFolder(t)
  for (const path of [
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'bin',
    'client',
    'clients/python',
    'docs/guides',
    'src',
    'console',
    'site',
  ]) {
    cpSync(join(ROOT, path), join(root, path), {
      recursive: true,
      filter: path => !/\b(?:node_modules|dist)$/.test(path),
    })
  }
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'))
  return root
}

async function copyBuilt(t: TestContext): Promise<string> {
  const root = await copySources(t)
  cpSync(join(built, 'console/dist'), join(root, 'console/dist'), { recursive: true })
  cpSync(join(ROOT, 'site/dist'), join(root, 'site/dist'), { recursive: true })
  return root
}

function build(root: string, env: Record<string, string> = {}): void {
  execFileSync(process.execPath, ['console/build.ts'], { cwd: root, env: { ...process.env, ...env }, stdio: 'pipe' })
}

function beforeStart(root: string) {
  return spawnSync(process.execPath, ['bin/build.js'], { cwd: root, encoding: 'utf8' })
}

/** The files below a folder with their content, without packages. */
function filesOf(folder: string): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  return new Map(
    entries
      .map(({ parentPath, name }) => join(parentPath, name))
      // Node's compile cache is in node_modules.
      .filter(path => !path.includes('node_modules'))
      .toSorted()
      .map(path => [path.slice(folder.length + 1), readFileSync(path, 'latin1')]),
  )
}
