import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { inTime } from '../../test/support/in-time.ts'
import { makePostgresPlace } from '../../test/support/servers/postgres-stores.ts'
import { startUnsteadyLine } from '../../test/support/servers/unsteady-line.ts'
import { generateKey } from '../domain/api-key.ts'
import { StoreUnavailable } from '../domain/errors.ts'
import { hashSecret } from '../domain/secret.ts'
import { createAccount, entry, newKey } from '../domain/store-contract/fixtures.contract.ts'
import { Refusal } from '../http/refusal.ts'
import { buildAuthentication } from '../public/authenticate.ts'
import type { StrangerCall, Strangers } from '../public/strangers.ts'
import { PostgresStore } from './store.ts'

const DURATION_MS = 20_000
/** The promise of the contract. */
const MAX_WAIT_MS = 4_000

test('revocations that race with look-ups on three instances, of which two are cut off again and again and miss news, are final', {
  timeout: 4 * DURATION_MS,
}, async t => {
  const place = await makePostgresPlace(t)
  if (!place) return
  const changed = () => {
    if (Math.random() < 0.5) for (const { store } of instances) store.renew()
  }
  const operator = await place.open({ watch: { committed() {}, leaseLost() {}, leaseRestored() {}, changed } })
  const instances = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const line = await startUnsteadyLine(t, place.url, delayMs)
      const store = await PostgresStore.open(line.url, 'production', { instances: 'many' })
      t.after(() => store.close())
      return { store, line, authentication: buildAuthentication(store, 'production', () => undefined, STRANGERS) }
    }),
  )
  const { id: accountId } = await createAccount(operator, 'Acme')
  const end = performance.now() + DURATION_MS
  const isOver = () => performance.now() > end
  const disturbing = instances.slice(1).map(async ({ line }) => {
    while (!isOver()) {
      await sleep(3_000 * Math.random())
      line.cut()
      await sleep(Math.random() < 0.3 ? 3_000 + 2_000 * Math.random() : 1_500 * Math.random())
      line.restore()
    }
  })

  /** When the answer was decided, and whether the key was accepted. Undefined without an answer. */
  async function ask({ authentication }: (typeof instances)[number], key: string, fresh?: 'fresh') {
    const request = { headers: { authorization: `Bearer ${key}` }, rawHeaders: [] }
    try {
      const call = { request, now: Date.now() } as unknown as StrangerCall
      const found = await (fresh
        ? authentication.reauthenticate(call.request, call.now, fresh)
        : authentication.authenticate(call))
      return { at: performance.now(), isAccepted: !(found instanceof Refusal) }
    } catch (error) {
      assert.ok(error instanceof StoreUnavailable, String(error))
      return undefined
    }
  }

  const counts = { accepted: 0, refused: 0, unavailable: 0 }
  const revoking = Array.from({ length: 16 }, async () => {
    while (!isOver()) {
      const secret = generateKey('production')
      const { id } = await operator.createKey({ ...newKey(accountId), hash: hashSecret(secret) }, entry('key.issue'))
      // Some instances know the key, and others look it up during the revocation.
      if (Math.random() < 0.5) await Promise.race([Promise.all(instances.map(one => ask(one, secret))), sleep(300)])
      const racing = instances.flatMap(one => [
        ask(one, secret),
        ...Array.from({ length: 4 }, () => ask(one, secret, 'fresh')),
      ])
      await sleep(15 * Math.random())
      // Besides the wait, the write takes its turn and a busy machine its time.
      await inTime(MAX_WAIT_MS + 1_000, 'a revocation', operator.revokeKey(id, entry('key.revoke')))
      const acknowledgedAt = performance.now()
      const answers = await Promise.all([...racing, ...[...instances, ...instances].map(one => ask(one, secret))])
      for (const answer of answers) {
        if (answer === undefined) counts.unavailable += 1
        else if (answer.at > acknowledgedAt) counts[answer.isAccepted ? 'accepted' : 'refused'] += 1
      }
    }
  })
  await Promise.all([...disturbing, ...revoking])
  t.diagnostic(JSON.stringify(counts))
  assert.equal(counts.accepted, 0)
  assert.ok(counts.refused > 50)
})

/** Most answers are quick; some take longer than a change needs to be acknowledged. */
function delayMs(): number {
  return Math.random() < 0.15 ? 400 * Math.random() : 5 * Math.random()
}

/** An address with an unlimited allowance. */
const STRANGERS = { room: () => 1_000, sourceOf: () => '192.0.2.7' } as unknown as Strangers
