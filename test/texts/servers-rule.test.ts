import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

// Tests that need a server, another program or a tool are named *.servers.test.ts; the code that starts these is in test/support/servers/ and tools/.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const HELPERS = ['test/support/servers/', 'tools/']
/** They know every backend, and load what starts servers for a test that names such a backend. */
const KNOW_BACKENDS = ['test/support/backend.ts', 'test/support/make-backend.ts', 'test/support/service.ts']
const BACKEND_ON_SERVERS = /'(?:scaled|balanced)'/

const files = globSync('{client,src,test}/**/*.test.ts', { cwd: ROOT, exclude: ['**/node_modules/**'] })
  .map(file => file.replaceAll('\\', '/'))
  .toSorted()
const [marked, unmarked] = [true, false].map(is => files.filter(file => file.endsWith('.servers.test.ts') === is))

test('a test without .servers in its name needs no server, no other program and no tool', () => {
  assert.ok(unmarked && unmarked.length > 100)
  assert.deepEqual(
    unmarked.filter(file => importedBy(file).some(isHelper)),
    [],
  )
})

test('a test without .servers in its name names no backend that needs servers', () => {
  assert.deepEqual(
    unmarked?.filter(file => importedBy(file).some(namesBackendOnServers)),
    [],
  )
})

test('a test with .servers in its name needs servers, other programs or tools', () => {
  assert.ok(marked && marked.length > 20)
  assert.deepEqual(
    marked.filter(file => !importedBy(file).some(isHelper)),
    [],
  )
})

function isHelper(file: string): boolean {
  return HELPERS.some(folder => file.startsWith(folder))
}

function namesBackendOnServers(file: string): boolean {
  return file.startsWith('test/') && !KNOW_BACKENDS.includes(file) && BACKEND_ON_SERVERS.test(read(file))
}

/** What each file imports, once it was read. */
const known = new Map<string, string[]>()

/** All that a file imports, and what that imports. */
function importedBy(file: string): string[] {
  const found = new Set([file])
  for (const one of found) {
    const imports = known.get(one) ?? importsOf(one)
    known.set(one, imports)
    for (const imported of imports) found.add(imported)
  }
  return [...found]
}

function importsOf(file: string): string[] {
  const source = read(file)
  const imports = [...source.matchAll(/^(?:import|export)\b(?! type)(?:[^'";()]*?\bfrom)? '(\.[^']+\.ts)'/gm)]
  if (!KNOW_BACKENDS.includes(file)) imports.push(...source.matchAll(/\bimport\('(\.[^']+\.ts)'\)/g))
  return imports
    .map(([, specifier = '']) => posix.join(posix.dirname(file), specifier))
    .filter(imported => existsSync(ROOT + imported))
}

function read(file: string): string {
  return readFileSync(ROOT + file, 'utf8')
}
