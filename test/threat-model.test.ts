import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

const DOCS = new URL('../docs/', import.meta.url)

/** The last cell of each row: a link to a file with tests, and the name of one of them. */
const PROOF = /\| \[[^\]]+\]\((?<file>\.\.\/[^)]+\.ts)\): (?<title>.+?) \|$/gm

test('each attempt in docs/security.md names a test that exists', () => {
  const proofs = [...readFileSync(new URL('security.md', DOCS), 'utf8').matchAll(PROOF)]
  assert.ok(proofs.length > 30, `${proofs.length} proofs`)
  const missing = proofs
    .map(({ groups: { file = '', title = '' } = {} }) => ({ file, title }))
    .filter(({ file, title }) => !readFileSync(new URL(file, DOCS), 'utf8').includes(title))
  assert.deepEqual(missing, [])
})
