import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { deleteAccount, suspendAccount } from '../../src/domain/administration/accounts.ts'
import { changeKey, revokeKey, rotateKey } from '../../src/domain/administration/keys.ts'
import type { AccountStore } from '../../src/domain/store/accounts.ts'
import { dayOf, daysFrom } from '../../src/domain/usage.ts'
import type { ErrorCode } from '../../src/schema/error-codes.ts'
import { assertRefused, call, connect, formatRequest } from '../support/call.ts'
import { eventually } from '../support/eventually.ts'
import { petJson } from '../support/pets.ts'
import { readRate } from '../support/rate.ts'
import type { Connection } from '../support/raw.ts'
import { startTestService, type TestCaller } from '../support/service.ts'

// Contract, "Rate limits": a change of a key or an account applies to calls in flight, too. Rights hold at the moment of the write, not only
// when the headers arrived.

const service = await startTestService({ after })
const PER_MINUTE = 1_000
const KEY_MS = 1_000
/** The day on which everything here happens. */
const TODAY = dayOf(service.clock.now)
/** The callers that lost their rights. Usage is saved every few seconds: one test looks for all of them. */
const losers: TestCaller[] = []

const LOSSES: [what: string, lose: (caller: TestCaller) => unknown, code: ErrorCode][] = [
  ['is revoked', ({ keyId }) => revokeKey(service.adminContext(), String(keyId)), 'invalid_api_key'],
  ['is rotated without an overlap', ({ keyId }) => rotate(keyId, 0), 'invalid_api_key'],
  ['is narrowed to reading', ({ keyId }) => change(keyId, { scope: 'read' }), 'insufficient_scope'],
  ['is bound to other networks', ({ keyId }) => change(keyId, { networks: ['192.0.2.0/24'] }), 'invalid_api_key'],
  ['expires', () => service.clock.advance(KEY_MS), 'invalid_api_key'],
  [
    'belongs to an account that is suspended',
    ({ account }) => suspendAccount(service.adminContext(), String(account.id)),
    'invalid_api_key',
  ],
  [
    'belongs to an account that is deleted',
    ({ account }) => deleteAccount(service.adminContext(), String(account.id)),
    'invalid_api_key',
  ],
]

for (const [what, lose, code] of LOSSES) {
  for (const headers of [{}, { 'Idempotency-Key': 'in-flight' }]) {
    const safely = 'Idempotency-Key' in headers ? ', with an idempotency key' : ''
    test(`a creation whose key ${what} before its last byte adds nothing: ${code}${safely}`, async () => {
      const caller = await createExpiringCaller()
      const { account, key, keyId } = caller
      const before = await countAnimals()
      const { connection, finish } = await beginCreation(key, headers)
      losers.push(caller)
      await lose(caller)
      const logged = service.logs.length
      finish()
      const answer = await connection.answer('POST')
      assertRefused(answer, code)
      assert.equal(readRate(answer).limit, PER_MINUTE, 'the account of the call')
      assert.equal(readRate(answer).windows.day?.remaining, PER_MINUTE * 1_000 - 1, 'it stays counted')
      assert.equal(await countAnimals(), before)

      const line = await eventually(
        () => service.logs.slice(logged).find(one => one.includes(`"${code}"`)) ?? assert.fail(),
      )
      assert.match(line, new RegExp(`"account":${account.id},"key":${keyId},`))
    })
  }
}

test('all these calls are in the usage of their accounts', async () => {
  await eventually(async () => {
    for (const { account } of losers) {
      const query = { range: daysFrom(TODAY, TODAY), accountId: account.id, by: [] }
      const sums = await service.store.sumUsage(query)
      assert.deepEqual(
        sums.map(sum => [sum.admitted, sum.status4xx]),
        [[1, 1]],
      )
    }
  }, 200)
})

const KEPT: [what: string, change: (caller: TestCaller) => unknown][] = [
  ['is rotated with an overlap', ({ keyId }) => rotate(keyId, 60)],
  ['is bound to networks with its client', ({ keyId }) => change(keyId, { networks: ['127.0.0.0/8', '::1'] })],
  ['is renamed', ({ keyId }) => change(keyId, { name: 'till' })],
]

for (const [what, change] of KEPT) {
  test(`a creation whose key ${what} before its last byte is carried out`, async () => {
    const caller = await createExpiringCaller()
    const { connection, finish } = await beginCreation(caller.key, {})
    await change(caller)
    finish()
    assert.equal((await connection.answer('POST')).status, 201)
  })
}

test('an animal that was added before the key was revoked is not returned again after it', async () => {
  const caller = await createExpiringCaller()
  const headers = { 'Idempotency-Key': 'again' }
  const request = { method: 'POST', path: '/v1/pets', key: caller.key, headers, body: petJson() }
  assert.equal((await call(service, request)).status, 201)
  const { connection, finish } = await beginCreation(caller.key, headers)
  await revokeKey(service.adminContext(), String(caller.keyId))
  finish()
  assertRefused(await connection.answer('POST'), 'invalid_api_key')
})

async function createExpiringCaller(): Promise<TestCaller> {
  const { account } = await service.createCaller({ limits: { perMinute: PER_MINUTE, perDay: PER_MINUTE * 1_000 } })
  const { key, id } = await service.issueKey(account, { expiresAt: service.clock.now + KEY_MS })
  return { account, key, keyId: id }
}

/** Sends all of a creation but the second half of its body, and waits until it has passed the gates before its body. */
async function beginCreation(
  key: string,
  headers: Record<string, string>,
): Promise<{ connection: Connection; finish(): void }> {
  const connection = await connect(service)
  const request = { method: 'POST', path: '/v1/pets', key, headers: { Expect: '100-continue', ...headers } }
  const bytes = formatRequest(service, { ...request, body: petJson() })
  const middle = bytes.length - Math.floor(petJson().length / 2)
  connection.write(bytes.subarray(0, middle))
  assert.equal((await connection.answer('POST')).status, 100)
  return { connection, finish: () => connection.write(bytes.subarray(middle)) }
}

async function countAnimals(): Promise<number> {
  return (await service.store.listPets({ status: undefined, afterId: 0n, limit: 1_000 })).pets.length
}

function rotate(keyId: bigint, overlapSeconds: number) {
  return rotateKey(service.adminContext(), { keyId: String(keyId), overlapSeconds })
}

function change(keyId: bigint, change: Parameters<AccountStore['changeKey']>[1]) {
  return changeKey(service.adminContext(), String(keyId), change)
}
