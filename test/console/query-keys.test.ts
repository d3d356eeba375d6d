import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { cacheKey } from '../../console/src/data/query-keys.ts'

// One file makes all keys of the console's cache. The types refuse any other key; this test refuses ways around the types.

const ROOT = new URL('../../console/src/', import.meta.url)
const KEYS = 'data/query-keys.ts'
const QUERIES = 'data/query.ts'

const sources = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter(path => /\.tsx?$/.test(path))
  .map(path => ({ path: path.replaceAll('\\', '/'), text: readFileSync(new URL(path, ROOT), 'utf8') }))

test('no other file writes a key of the cache', () => {
  const written = /queryKey:\s*\[\s*['"`]|Quer(?:y|ies)Data(?:<[^(]*>)?\(\s*\[|\bas (?:unknown as )?Key\b/
  assert.deepEqual(pathsOf(written), [KEYS])
})

test('the types refuse a key that was made elsewhere, or that names no resource', () => {
  const [keys = '', queries = ''] = [KEYS, QUERIES].map(name => sources.find(({ path }) => path === name)?.text)
  assert.match(queries, /interface Register \{\s*queryKey: Key\s*\}/)
  assert.match(keys, /function cacheKey\(path: Path, /)
})

test('every key is the path that is read, and belongs to its first part', () => {
  assert.deepEqual(cacheKey('/pets/deleted', 'pages', { sort: 'newest' }), [
    'pets',
    '/pets/deleted',
    'pages',
    { sort: 'newest' },
  ])
  assert.deepEqual(cacheKey('/claim-links'), ['claim-links', '/claim-links'])
})

test('queries know the type of their data: none is written where it is used', () => {
  const inline = pathsOf(/\buse(?:Infinite)?Query\(\s*\{\s*queryKey/)
  assert.deepEqual(inline, [])
  const builders = pathsOf(/\b(?:infiniteQueryOptions|queryOptions)[<(]/)
  // The type of a chart's data belongs to its screen.
  assert.deepEqual(
    builders.filter(path => !path.startsWith('data/')),
    ['screens/usage/breakdown.ts'],
  )
})

function pathsOf(pattern: RegExp): string[] {
  return sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path)
}
