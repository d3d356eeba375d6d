import assert from 'node:assert/strict'
import { test } from 'node:test'
import { traceIdOf } from './trace-context.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'

test('the trace id of a traceparent header is read, also of a later version', () => {
  assert.equal(traceIdOf(`00-${TRACE}-${PARENT}-01`), TRACE)
  assert.equal(traceIdOf(`cc-${TRACE}-${PARENT}-01-more`), TRACE)
})

test('a malformed traceparent header is ignored', () => {
  const malformed = [
    undefined,
    '',
    TRACE,
    `00-${TRACE}-${PARENT}`,
    `00-${TRACE}-${PARENT}-01-more`,
    `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`,
    `ff-${TRACE}-${PARENT}-01`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.slice(1)}-${PARENT}-01`,
    `00-petstore_live_${TRACE}-${PARENT}-01`,
  ]
  for (const header of malformed) assert.equal(traceIdOf(header), undefined, String(header))
})
