import assert from 'node:assert/strict'
import { globSync, lstatSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import manifest from '../package.json' with { type: 'json' }

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

function sizeOf(file: URL): number {
  const { size } = lstatSync(file)
  return size
}
