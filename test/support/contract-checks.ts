import assert from 'node:assert/strict'
import { ERRORS } from '../../src/schema/error-codes.ts'
import { only, readRate } from './rate.ts'
import type { Answer } from './raw.ts'

const DAY_SECONDS = 86_400

/** Checks an answer against what the contract promises for every answer. `now` is the service's clock, in Unix milliseconds. */
export function assertLawful(answer: Answer, { now, method = 'GET' }: { now: number; method?: string }): void {
  if (answer.status < 200) return
  assertRate(answer, now)
  assertDate(only(answer, 'Date'))
  assert.match(only(answer, 'X-Request-Id'), /^[A-Za-z0-9._~:/+=@-]{1,128}$/)
  if (answer.status >= 400) assertRefusal(answer, method)
  if (answer.status === 204 || answer.status === 304) assert.equal(answer.header('transfer-encoding'), undefined)
  if (answer.status === 204) assert.equal(answer.header('content-length'), undefined)
}

function assertRate(answer: Answer, now: number): void {
  const { limit, remaining, reset, windows } = readRate(answer)
  const shown = Object.values(windows)
  assert.ok(limit >= 1, 'Limit is at least 1')
  assert.ok(remaining <= limit, `0 ≤ Remaining ≤ Limit: ${remaining}, ${limit}`)
  assert.ok(reset >= now / 1_000, `Reset ${reset} lies ahead of ${now / 1_000}`)
  assert.ok(reset <= now / 1_000 + DAY_SECONDS + 1, `Reset ${reset} lies within a day of ${now / 1_000}`)
  assert.equal(remaining, Math.min(...shown.map(window => window.remaining)), 'the fewest remaining are shown')
  assert.ok(
    shown.some(
      window =>
        window.quota === limit &&
        window.remaining === remaining &&
        Math.abs(now / 1_000 + window.secondsToReset - reset) <= 1,
    ),
    'the three headers show one of the windows',
  )
}

/**
 * Checks that a refusal has the shape of all refusals.
 * @param optional further members that it may have
 */
export function assertRefusal(answer: Answer, method: string, optional: readonly string[] = []): void {
  const contentType = only(answer, 'Content-Type')
  assert.match(contentType, /^application\/json(?:; ?charset=utf-8)?$/i, `Content-Type of ${answer.status}`)
  if (answer.status === 401) assert.match(only(answer, 'WWW-Authenticate'), /^Bearer\b/)
  if (answer.status === 405) only(answer, 'Allow')
  if (answer.status === 429) assert.match(only(answer, 'Retry-After'), /^[1-9][0-9]*$/)
  if (method === 'HEAD') return
  const members = Object.keys(answer.json).filter(member => !optional.includes(member))
  assert.deepEqual(members.toSorted(), ['code', 'message', 'status'])
  const { code, message, status } = answer.json
  assert.equal(status, answer.status, 'the body repeats the status')
  assert.ok(Object.hasOwn(ERRORS, code), `${code} is a listed code`)
  assert.equal(ERRORS[code as keyof typeof ERRORS], answer.status, `the status of ${code}`)
  assert.ok(typeof message === 'string' && message.length > 0, 'a message')
  assert.doesNotMatch(message, /SQL|node:|\bat .*:\d+:\d+|\/src\//, 'no inside in the message')
}

function assertDate(date: string): void {
  assert.equal(new Date(date).toUTCString(), date, 'Date is an HTTP date')
}
