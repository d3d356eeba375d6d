import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, lstatSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, readdir, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import manifest from '../package.json' with { type: 'json' }
import { temporaryFolder } from './support/folder.ts'

// What `npm ci` leaves in the checkout.

const ROOT = new URL('..', import.meta.url)
const MAX_BYTES = 250e6

interface Locked {
  engines?: { node?: string }
  hasInstallScript?: boolean
}

const locked = Object.entries<Locked>(JSON.parse(readFileSync(new URL('package-lock.json', ROOT), 'utf8')).packages)

test('it takes 250 MB at most', () => {
  const files = globSync('node_modules/**', { cwd: ROOT }).filter(file => !file.startsWith('node_modules/.cache'))
  assert.ok(files.length > 1_000)
  const bytes = files.reduce((sum, file) => sum + sizeOf(new URL(file, ROOT)), 0)
  assert.ok(bytes < MAX_BYTES, `${bytes} bytes; was npm ci run with its scripts?`)
})

test('npm has nothing to warn of: no script of a dependency runs unless package.json decides on it', () => {
  const decided = Object.keys((manifest as { allowScripts?: object }).allowScripts ?? {})
  const undecided = locked.filter(([path, { hasInstallScript }]) => hasInstallScript && path !== '')
  assert.deepEqual(
    undecided.filter(([path]) => !decided.some(name => path.endsWith(`node_modules/${name}`))),
    [],
  )
})

test('the Node that npm installed is linked, whatever npm did, and has no headers', async t => {
  const checkout = await temporaryFolder(t)
  const node = join(checkout, 'node_modules/node-beos-x64')
  for (const folder of ['bin', 'include', 'node_modules/node-beos-x64/bin', 'node_modules/node-beos-x64/include']) {
    await mkdir(join(checkout, folder), { recursive: true })
  }
  await writeFile(join(node, 'bin/node'), '')
  await writeFile(join(node, 'include/node.h'), '')
  const optionalDependencies = { 'node-amiga-68k': '1.0.0', 'node-beos-x64': '1.0.0' }
  await writeFile(join(checkout, 'package.json'), JSON.stringify({ type: 'module', optionalDependencies }))
  await copyFile(new URL('bin/after-install.js', ROOT), join(checkout, 'bin/after-install.js'))
  for (const _ of ['first', 'again']) {
    execFileSync(process.execPath, [join(checkout, 'bin/after-install.js')])
    assert.equal(await realpath(join(checkout, 'node_modules/.bin/node')), await realpath(join(node, 'bin/node')))
    assert.deepEqual(await readdir(node), ['bin'])
  }
})

function sizeOf(file: URL): number {
  const { size } = lstatSync(file)
  return size
}
