import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { compress } from './compress.ts'

test('content that threads compress is bounded: the rest is sent uncompressed until they are done', async () => {
  const large = randomBytes(100_000)
  const results = await Promise.all(Array.from({ length: 50 }, () => compress(large, 'gzip')))
  const compressed = results.filter(bytes => bytes !== undefined)
  assert.equal(compressed.length, 16)
  for (const bytes of compressed) assert.deepEqual(gunzipSync(bytes), large)
  assert.ok(await compress(large, 'gzip'))
})
