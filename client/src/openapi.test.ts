import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const CLIENT = fileURLToPath(new URL('..', import.meta.url))

test('the client supports every member and parameter in the document', () => {
  const { components, paths } = JSON.parse(readFileSync(`${CLIENT}../openapi.json`, 'utf8'))
  const membersOf = (schema: string) => Object.keys(components.schemas[schema].properties).toSorted()
  assert.deepEqual(membersOf('Pet'), ['categoryId', 'id', 'name', 'status'])
  assert.deepEqual(membersOf('NewPet'), ['categoryId', 'name', 'status'])
  const parameters: { $ref: string }[] = paths['/pets'].get.parameters
  const names = parameters.map(({ $ref }) => $ref.split('/').at(-1))
  // Pages are not cached, so If-None-Match is not sent.
  const unused = ['IfNoneMatch']
  assert.deepEqual(
    names.filter(name => !unused.includes(name ?? '')),
    ['limit', 'status', 'cursor', 'RequestId'],
  )
})

test('the packed types deprecate exactly what the document deprecates', t => {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-client-types-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const compiler = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))
  execFileSync(process.execPath, [compiler, '-p', CLIENT, '--emitDeclarationOnly', '--outDir', folder])
  const types = readFileSync(join(folder, 'pets.d.ts'), 'utf8')
  const documented = types.matchAll(/\/\*\*((?:(?!\*\/).)*)\*\/\s*(?:readonly )?(\w+)/gs)
  const deprecated = [...documented].filter(([, text]) => text?.includes('@deprecated')).map(([, , name]) => name)
  assert.deepEqual(deprecated, ['get'])
})
