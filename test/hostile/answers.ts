import assert from 'node:assert/strict'
import { assertRefusal } from '../support/contract-checks.ts'
import { only, readRate } from '../support/rate.ts'
import type { Answer } from '../support/raw.ts'

/** Checks the promises for every answer of the public listener, whoever it is for and whenever it comes. */
export function assertPublic(answer: Answer, method: string): void {
  if (answer.status < 200) return
  const { limit, remaining } = readRate(answer)
  assert.ok(remaining <= limit, `${remaining} of ${limit} remain`)
  assertHeaders(answer)
  if (answer.status >= 400) assertRefusal(answer, method)
}

/** Checks the promises for every answer of the operators' listener. */
export function assertOrderly(answer: Answer, method: string): void {
  if (answer.status < 200) return
  assertHeaders(answer)
  if (answer.status >= 400) assertRefusal(answer, method, answer.status === 400 ? ['errors'] : [])
}

function assertHeaders(answer: Answer): void {
  assert.match(only(answer, 'X-Request-Id'), /^[A-Za-z0-9._~:/+=@-]{1,128}$/)
  assert.equal(new Date(only(answer, 'Date')).toUTCString(), only(answer, 'Date'))
  assert.equal(only(answer, 'X-Content-Type-Options'), 'nosniff')
}
