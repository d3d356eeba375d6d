import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const ROOT = new URL('../../', import.meta.url)

/** The last cell of each row: a file with tests. */
const PROOF = /\| `([^`]+\.ts)` \|$/gm

test('each attempt in docs/security.md names a file with tests', () => {
  const proofs = [...readFileSync(new URL('docs/security.md', ROOT), 'utf8').matchAll(PROOF)]
  assert.ok(proofs.length > 30, `${proofs.length} proofs`)
  const missing = proofs.map(([, file = '']) => file).filter(file => !existsSync(new URL(file, ROOT)))
  assert.deepEqual(missing, [])
})
