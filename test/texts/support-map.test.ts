import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const SUPPORT = new URL('../support/', import.meta.url)

test('test/support/README.md names every helper, and no others', () => {
  const named = readFileSync(new URL('README.md', SUPPORT), 'utf8').match(/(?<=`)[a-z-]+\.ts(?=`)/g) ?? []
  const helpers = ['', 'servers/'].flatMap(folder => readdirSync(new URL(folder, SUPPORT)))
  assert.deepEqual(named.toSorted(), helpers.filter(file => /^[^.]+\.ts$/.test(file)).toSorted())
})
