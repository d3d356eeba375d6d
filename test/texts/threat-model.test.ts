import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

const ROOT = new URL('../../', import.meta.url)

/** The last cell of each row: a file with tests, and the name of one of them. */
const PROOF = /\| `(?<file>[^`]+\.ts)`: (?<title>.+?) \|$/gm

test('each attempt in docs/security.md names a test that exists', () => {
  const proofs = [...readFileSync(new URL('docs/security.md', ROOT), 'utf8').matchAll(PROOF)]
  assert.ok(proofs.length > 30, `${proofs.length} proofs`)
  const missing = proofs
    .map(({ groups: { file = '', title = '' } = {} }) => ({ file, title }))
    .filter(({ file, title }) => !readFileSync(new URL(file, ROOT), 'utf8').includes(title))
  assert.deepEqual(missing, [])
})
