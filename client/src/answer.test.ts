import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, bodyOf, errorOf, retryAfterOf } from './answer.ts'
import {
  ApiKeyError,
  BannedError,
  InvalidRequestError,
  NotFoundError,
  RateLimitError,
  ScopeError,
  ServiceError,
  TimeoutError,
} from './errors.ts'

const BASE_URL = 'https://petstore.example/v1'

function answer(status: number, headers: Record<string, string>, text = '', baseUrl = BASE_URL): Answer {
  const receivedAt = Date.UTC(2027, 0, 1)
  return { baseUrl, status, headers: new Headers(headers), text, receivedAt, maxWaitMs: 86_400_000, requestId: 'sent' }
}

test('Retry-After is read as seconds, or as a date by the clock of the sender', () => {
  const date = 'Fri, 01 Jan 2027 00:00:30 GMT'
  const cases: [Record<string, string>, number | undefined][] = [
    [{}, undefined],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '60' }, 60_000],
    [{ 'retry-after': date }, 30_000],
    [{ 'retry-after': date, date: 'Fri, 01 Jan 2027 00:00:10 GMT' }, 20_000],
    [{ 'retry-after': date, date: 'Fri, 01 Jan 2027 00:01:00 GMT' }, 0],
    [{ 'retry-after': '-5' }, undefined],
    [{ 'retry-after': '1.5' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': 'Fri, 99 Jan 2027 00:00:30 GMT' }, undefined],
  ]
  for (const [headers, expected] of cases) assert.equal(retryAfterOf(answer(429, headers)), expected)
})

test('even an enormous Retry-After gives a valid date', () => {
  for (const digits of [9, 20, 400]) {
    const error = errorOf(answer(429, { 'retry-after': '9'.repeat(digits) }))
    assert.ok(error instanceof RateLimitError && error.retryAt.toISOString())
  }
})

test('every refusal becomes the right error, with the code and message of the service', () => {
  const cases = [
    [400, 'invalid_body', InvalidRequestError],
    [401, 'invalid_api_key', ApiKeyError],
    [403, 'https_required', InvalidRequestError],
    [403, 'insufficient_scope', ScopeError],
    [404, 'pet_not_found', NotFoundError],
    [408, 'request_timeout', TimeoutError],
    [410, 'operation_removed', InvalidRequestError],
    [422, 'idempotency_key_reused', InvalidRequestError],
    [429, 'rate_limit_exceeded', RateLimitError],
    [429, 'api_key_banned', BannedError],
    [409, 'idempotency_in_progress', TimeoutError],
    [503, 'service_unavailable', ServiceError],
    [418, 'something_new', InvalidRequestError],
  ] as const
  for (const [status, code, kind] of cases) {
    const text = JSON.stringify({ code, message: 'So it is.', status })
    const error = errorOf(answer(status, { 'retry-after': '7' }, text))
    assert.equal(error.constructor, kind)
    assert.deepEqual(
      { name: error.name, code: error.code, message: error.message, status: error.status, requestId: error.requestId },
      { name: kind.name, code, message: 'So it is.', status, requestId: 'sent' },
    )
    if ('retryAt' in error) assert.deepEqual(error.retryAt, new Date(Date.UTC(2027, 0, 1, 0, 0, 7)))
  }
})

test('an answer that does not come from the service is reported as such', () => {
  for (const status of [0, 301, 304, 403, 404, 502]) {
    const error = errorOf(answer(status, {}, '<html>'))
    assert.ok(error instanceof ServiceError)
    assert.deepEqual([error.code, error.status, error.requestId], ['unexpected_answer', status, 'sent'])
    assert.equal(/redirects to another address/.test(error.message), [0, 301].includes(status), error.message)
  }
})

test('an error shows nothing that controls a terminal', () => {
  const bad = '\x1b[2J\x07\x9b\r\n\u202e\u200b\ud800'
  const error = errorOf(answer(418, {}, JSON.stringify({ code: `a${bad}b`, message: `Käse${bad} 🐕.` })))
  assert.deepEqual([error.code, error.message], ['a[2Jb', 'Käse[2J 🐕.'])
  const redirect = errorOf(answer(307, { location: 'https://else\x9bwhere.example/' }))
  assert.ok(redirect.message.startsWith('The response redirects to https://elsewhere.example/, which'))
})

test('a body must be JSON', () => {
  const read = (text: string) => bodyOf(answer(200, {}, text))
  assert.deepEqual(read('[7, -1.50e3, "a\\"7", {"__proto__": 1}]'), [
    '7',
    '-1.50e3',
    'a"7',
    JSON.parse('{"__proto__":"1"}'),
  ])
  for (const text of ['', '<html>', '007', '[1', `"${'\\"'.repeat(100_000)}`])
    assert.throws(() => read(text), ServiceError)
})
