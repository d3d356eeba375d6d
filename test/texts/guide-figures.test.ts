import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GUIDES } from '../../site/guides/guides.ts'
import { parseConfig } from '../../src/app/config.ts'
import { generateKey } from '../../src/domain/api-key.ts'
import { type Ban, banAfter, GRACE_MS, nextBan } from '../../src/domain/ban.ts'
import type { Deployment } from '../../src/domain/deployment.ts'
import { IDEMPOTENCY_MS } from '../../src/domain/idempotency.ts'
import { limitsOf } from '../../src/domain/plan.ts'
import { spend } from '../../src/domain/rate-limiter.ts'
import { MINUTE_MS } from '../../src/domain/time.ts'
import { headersIn as headersInLines } from '../../src/http/header-lines.ts'
import { isIdempotencyKey } from '../../src/http/idempotency-key.ts'
import { requestIdOf } from '../../src/http/request-headers.ts'
import { deprecationHeaders } from '../../src/public/deprecation.ts'
import { limitLines } from '../../src/public/limit-headers.ts'
import { SUNSET_AT, SUNSET_DATE } from '../../src/schema/deprecation.ts'
import { parseJson } from '../../src/schema/json.ts'
import { checkNewPet } from '../../src/schema/pet-json.ts'
import { ListQuery } from '../../src/schema/pet-schemas.ts'
import { buildQueryCheck } from '../../src/schema/query.ts'
import { call } from '../support/call.ts'
import { codesIn, sectionOf, tableIn, textOf } from '../support/guide-texts.ts'
import { startTestService } from '../support/service.ts'

// The numbers, dates and names in the guides are those of the code.

const HOUR_MS = 3_600_000

const { anonymousPerMinute, ban } = parseConfig({})
const live = prefixOf('production')
const staged = prefixOf('staging')
const strikesOf = (perMinute: number) => banAfter(ban, { perMinute, perDay: 1 })
const banWithin = ban.withinSeconds === 600 ? 'ten' : ban.withinSeconds / 60
const banFor = ban.forSeconds / 60
const parseListQuery = buildQueryCheck(ListQuery)
const limitDefault = parseListQuery('').limit
const limitMost = highest(limit => isAccepted(() => parseListQuery(`limit=${limit}`)))
const nameLongest = highest(length => isAccepted(() => checkNewPet({ name: 'x'.repeat(length), categoryId: 1n })))
const depthMost = highest(depth => isAccepted(() => parseJson(Buffer.from('['.repeat(depth) + ']'.repeat(depth)))))
const keyLongest = highest(length => isIdempotencyKey('x'.repeat(length)))
const requestIdLongest = highest(length => requestIdOf('x'.repeat(length)) === 'x'.repeat(length))
const replayHours = IDEMPOTENCY_MS / HOUR_MS
const deprecatedAt = Number(deprecationHeaders('')[1]?.slice(1)) * 1_000

const SAYINGS: readonly (readonly [guide: (typeof GUIDES)[number], words: string])[] = [
  ['authentication', `A production key begins with \`${live}\`, a [staging](staging.md) key with \`${staged}\`.`],
  ['staging', `used up after ${limitsOf('free').perMinute} calls`],
  ['limits', `per client address (${anonymousPerMinute} per minute unless the operator has set another limit)`],
  ['limits', `begins with the account's first call and lasts ${MINUTE_MS / 1_000} seconds`],
  ['limits', `from ${GRACE_MS / 1_000} seconds after the address's first 429 of the window on`],
  [
    'limits',
    `at least ${strikesOf(1)} and at most ${strikesOf(1e9)}, ban the key for that address for ${banFor} minutes.`,
  ],
  ['limits', `They count within one window and within ${banWithin} minutes.`],
  [
    'limits',
    `up to ${ban.maxSeconds / 3_600} hours. After ${hoursThatForgive()} hours without a ban, the next one is ${banFor} minutes again.`,
  ],
  ['pages', `number of animals on a page: 1 to ${limitMost}, and ${limitDefault} by default`],
  ['versioning', `\`limit\` is ${limitDefault} by default`],
  ['errors', `\`limit\` as a plain decimal from 1 to ${limitMost}`],
  ['errors', `\`name\` has 1 to ${nameLongest} code points`],
  ['errors', `nests deeper than ${depthMost} levels`],
  ['errors', `your own id of 1 to ${requestIdLongest} letters`],
  ['errors', `is not 1 to ${keyLongest} visible ASCII characters`],
  ['errors', `was used within the last ${replayHours} hours`],
  ['errors', `was removed on ${dateOf(SUNSET_AT)}`],
  ['idempotency', `of 1 to ${keyLongest} visible ASCII characters`],
  ['idempotency', `send the same call again within ${replayHours} hours`],
  ['idempotency', `Idempotency keys are kept for ${replayHours} hours`],
  ['deprecation', `will be removed on ${dateOf(SUNSET_AT)}`],
  ['deprecation', `| ${dateOf(SUNSET_AT)} | removed: from 00:00 UTC,`],
  ['deprecation', `| ${dateOf(deprecatedAt)} | deprecated:`],
]

test('the sunset in words is the day of the sunset', () => {
  assert.equal(SUNSET_DATE, dateOf(SUNSET_AT))
})

test('the guides name the numbers and dates of the code', () => {
  const wrong = SAYINGS.filter(([guide, words]) => !textOf(guide).replaceAll(/\s+/g, ' ').includes(words))
  assert.deepEqual(wrong, [])
})

test('the guide to limits lists the plans', () => {
  const fixed = (['free', 'pro', 'business'] as const).map(plan => {
    const { perMinute, perDay } = limitsOf(plan)
    return [plan, perMinute.toLocaleString('en'), perDay.toLocaleString('en')]
  })
  assert.deepEqual(
    tableIn('limits', 'Plans').map(([plan = '', ...limits]) => [plan.toLowerCase(), ...limits]),
    [...fixed, ['enterprise', 'agreed', 'agreed']],
  )
})

test('the headers in the guides are those of responses', () => {
  const { decision } = spend({}, limitsOf('free'), 0)
  assert.deepEqual(headersIn('limits', 'Headers'), namesOf(headersInLines(limitLines(decision))))
  assert.deepEqual(headersIn('deprecation', 'How responses announce it'), namesOf(deprecationHeaders('')))
})

test('the size limits in the guide to errors are exact', async t => {
  const service = await startTestService(t, { backend: 'embedded' })
  const { key } = await service.createCaller()
  const animal = JSON.stringify({ name: 'Fido', categoryId: 1 })
  const create = (size: number) => call(service, { method: 'POST', path: '/v1/pets', key, body: animal.padEnd(size) })
  const list = (size: number) => call(service, { path: '/v1/pets?'.padEnd(size, 'x'), key })
  const listWith = (size: number) => call(service, { path: '/v1/pets', key, headers: { padding: 'x'.repeat(size) } })

  const largestBody = bytesIn('body_too_large')
  const longestTarget = bytesIn('uri_too_long')
  const largestHeaders = bytesIn('headers_too_large')
  const answers = await Promise.all([
    create(largestBody),
    create(largestBody + 1),
    list(longestTarget),
    list(longestTarget + 1),
    // Every call also has some headers of its own.
    listWith(largestHeaders - 500),
    listWith(largestHeaders),
  ])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 413, 200, 414, 200, 431],
  )
})

function prefixOf(deployment: Deployment): string {
  return /^.*_/.exec(generateKey(deployment))?.[0] ?? ''
}

function isAccepted(check: () => unknown): boolean {
  try {
    check()
    return true
  } catch {
    return false
  }
}

function highest(isAllowed: (count: number) => boolean): number {
  let count = 1
  while (isAllowed(count + 1)) count += 1
  return count
}

/** After how many hours without a ban the next one is a first one again. */
function hoursThatForgive(): number {
  const [source, earnedIn] = ['192.0.2.7', 'minute'] as const
  const last: Ban = { id: 1n, keyId: 1n, source, earnedIn, startedAt: 0, endsAt: 0, ordinal: 1, liftedAt: undefined }
  const minute = { name: earnedIn, resetsAt: 0 }
  let hours = 0
  while (nextBan(last, source, minute, hours * HOUR_MS, ban).ordinal > 1) hours += 1
  return hours
}

/** 5 December 2030. */
function dateOf(time: number): string {
  return new Date(time).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
}

function headersIn(guide: string, title: string): string[] {
  return tableIn(guide, title).flatMap(([name = '']) => codesIn(name))
}

/** Of headers as they are sent: a name and a value in turn. */
function namesOf(headers: readonly string[]): string[] {
  return headers.filter((_, index) => index % 2 === 0)
}

function bytesIn(code: string): number {
  const [, bytes = ''] = /than ([\d,]+) bytes/.exec(sectionOf('errors', code)) ?? []
  return Number(bytes.replaceAll(',', ''))
}
