import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

// One file makes all keys of the console's cache. The types refuse any other key; this test refuses ways around the types.

const ROOT = new URL('../../console/src/', import.meta.url)
const KEYS = 'data/query-keys.ts'
/** The file that builds queries from keys, and takes the type of the data from them. */
const BUILDERS = ['data/query.ts']

const sources = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter(path => /\.tsx?$/.test(path))
  .map(path => ({ path: path.replaceAll('\\', '/'), text: readFileSync(new URL(path, ROOT), 'utf8') }))

test('no other file writes a key of the cache', () => {
  const written = /queryKey:\s*\[\s*['"`]|Quer(?:y|ies)Data(?:<[^(]*>)?\(\s*\[|\bas (?:unknown as )?Key\b/
  assert.deepEqual(pathsOf(written), [KEYS])
})

test('every key that is made names a resource and a shape', () => {
  const calls = sources
    .filter(({ path }) => path !== KEYS)
    .flatMap(({ text }) => text.match(/\bcacheKey\([^)]*/g) ?? [])
  assert.ok(calls.length > 30, `${calls.length} keys`)
  assert.deepEqual(
    calls.filter(call => !/^cacheKey\((?:'\w+'|resource), '\w+'/.test(call)),
    [],
  )
})

test('the types refuse a key that was made elsewhere', () => {
  const { text = '' } = sources.find(({ path }) => path === KEYS) ?? {}
  assert.match(text, /interface Register \{\s*queryKey: Key\s*\}/)
})

test('queries take the type of their data from their key', () => {
  const used = pathsOf(/\b(?:infiniteQueryOptions|queryOptions)[<(]|\buse(?:Infinite)?Query\(\s*\{\s*queryKey/)
  // The type of a chart's data belongs to its screen.
  assert.deepEqual(used.toSorted(), [...BUILDERS, 'screens/usage/breakdown.ts'].toSorted())
})

function pathsOf(pattern: RegExp): string[] {
  return sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path)
}
