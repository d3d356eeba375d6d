import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spend } from '../domain/rate-limiter.ts'
import { DAY_MS, MINUTE_MS } from '../domain/time.ts'
import { headersIn } from '../http/header-lines.ts'
import { limitLines } from './limit-headers.ts'

test('every account sees its own limits, however many different ones there are', () => {
  for (const round of [1, 2]) {
    for (let limit = 1; limit <= 2_500; limit += 1) {
      const { decision } = spend({}, { perMinute: limit, perDay: limit * 10 }, 0)
      assert.deepEqual(
        headersIn(limitLines(decision)),
        [
          ['X-RateLimit-Limit', `${limit}`],
          ['X-RateLimit-Remaining', `${limit - 1}`],
          ['X-RateLimit-Reset', `${MINUTE_MS / 1_000}`],
          ['RateLimit-Policy', `"minute";q=${limit};w=60, "day";q=${limit * 10};w=86400`],
          ['RateLimit', `"minute";r=${limit - 1};t=60, "day";r=${limit * 10 - 1};t=${DAY_MS / 1_000}`],
        ].flat(),
        `round ${round}`,
      )
    }
  }
})
