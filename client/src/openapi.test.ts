import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
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
