import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseCoding } from './content-coding.ts'

const OFFERED = ['br', 'zstd', 'gzip'] as const

/** RFC 9110, section 12.5.3. */
const CASES: [header: string | undefined, large: string, small: string][] = [
  [undefined, 'identity', 'identity'],
  ['', 'identity', 'identity'],
  ['gzip', 'gzip', 'identity'],
  ['x-gzip', 'gzip', 'identity'],
  ['GZip', 'gzip', 'identity'],
  ['gzip, deflate', 'gzip', 'identity'],
  ['gzip, deflate, br, zstd', 'br', 'identity'],
  ['gzip, zstd', 'zstd', 'identity'],
  ['deflate, compress', 'identity', 'identity'],
  ['br;q=0.5, gzip;q=0.8', 'gzip', 'identity'],
  ['br;q=1.0 , gzip ; q=0.999', 'br', 'identity'],
  ['gzip;q=0', 'identity', 'identity'],
  ['gzip;q=0.0, br;Q=0.001', 'br', 'identity'],
  ['*', 'br', 'identity'],
  ['*;q=0.1, br;q=0', 'zstd', 'identity'],
  ['*;q=0, gzip', 'gzip', 'gzip'],
  ['gzip;q=0.5, *', 'br', 'identity'],
  ['identity', 'identity', 'identity'],
  ['identity, gzip', 'gzip', 'identity'],
  ['identity;q=0.5, gzip;q=0.4', 'identity', 'identity'],
  ['identity;q=0.5, gzip;q=0.6', 'gzip', 'identity'],
  ['identity;q=0, gzip', 'gzip', 'gzip'],
  ['identity;q=0, *', 'br', 'br'],
  ['identity;q=0', 'identity', 'identity'],
  ['*;q=0', 'identity', 'identity'],
  ['gzip;q=2', 'identity', 'identity'],
  ['gzip;q=-1, gzip;level=9, ;q=1, ,', 'identity', 'identity'],
  ['gzipped, br,', 'br', 'identity'],
]

for (const [header, large, small] of CASES) {
  test(`Accept-Encoding: ${header ?? '(none)'} chooses ${large}, and ${small} for small content`, () => {
    assert.equal(chooseCoding(header, OFFERED), large)
    assert.equal(chooseCoding(header, OFFERED, false), small)
  })
}

test('only what is offered is chosen', () => {
  assert.equal(chooseCoding('zstd, gzip;q=0.1', ['br', 'gzip']), 'gzip')
})
