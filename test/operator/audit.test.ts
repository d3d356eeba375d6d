import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { petstore } from '../support/command-line.ts'
import {
  type AdminItem,
  assertRefused,
  type CallOptions,
  type OperatorService,
  startOperatorService,
  walk,
} from '../support/operator.ts'
import { actionOf, CHANGING, exampleOf } from '../support/operator-examples.ts'

// Audit: what operators did, who did it, from where, to what. Written together with the change, and never changed.

const service = await startOperatorService({ after }, { config: { trustedProxies: ['127.0.0.1'] } })
const ANNA = `Anna (token ${service.admin.id})`
const SAM = `Sam (token ${service.staff.id})`

test('every change leaves exactly one entry: when, who, from where, what', async t => {
  for (const operation of CHANGING.filter(({ role }) => role !== 'anyone')) {
    await t.test(operation.id, async () => {
      const { method, path, options } = await exampleOf(operation, service)
      const { cookie, csrf } = await service.signIn(service.admin.token)
      const before = await newest(service)
      service.clock.advance(1_000)
      const headers = { ...options.headers, 'X-Forwarded-For': '203.0.113.9, 198.51.100.7' }
      const answer = await service.call(method, path, { ...options, cookie, csrf, headers })
      assert.equal(answer.status, operation.status, answer.text)
      const [entry, earlier] = (await service.call('GET', '/audit')).value
      assert.deepEqual(earlier, before, 'one entry, not two')
      const { id, at, actor, origin, action } = entry
      assert.deepEqual(
        { id, at, actor, origin, action },
        {
          id: before.id + 1n,
          at: new Date(service.clock.now).toISOString(),
          actor: ANNA,
          origin: '198.51.100.7',
          action: actionOf(operation),
        },
      )
    })
  }
})

test('an entry has its subject, the account that it concerns, and details', async () => {
  const call = async (method: string, path: string, options: CallOptions = {}) => {
    const answer = await service.call(method, path, options)
    assert.ok(answer.status < 300, answer.text)
    const [entry] = (await service.call('GET', '/audit?limit=1')).value
    return { value: answer.status === 204 ? undefined : answer.value, entry }
  }
  const contentOf = ({ action, subjectId, accountId, details }: AdminItem) => [action, subjectId, accountId, details]
  const match = { headers: { 'If-Match': '*' } }

  const account = await call('POST', '/accounts', { body: { name: 'Bakery', plan: 'pro' } })
  const { id } = account.value
  assert.deepEqual(contentOf(account.entry), ['account.create', id, id, { name: 'Bakery', plan: 'pro' }])
  const renamed = await call('PATCH', `/accounts/${id}`, { body: { name: 'Baker' } })
  assert.deepEqual(contentOf(renamed.entry), ['account.rename', id, id, { name: 'Baker', was: 'Bakery' }])
  const plan = await call('PUT', `/accounts/${id}/plan`, { body: { plan: 'enterprise', perMinute: 1, perDay: 2 } })
  const limits = 'enterprise, 1 per minute, 2 per day'
  assert.deepEqual(contentOf(plan.entry), ['account.set-plan', id, id, { plan: limits, was: 'pro' }])
  const suspended = await call('POST', `/accounts/${id}/suspend`)
  assert.deepEqual(contentOf(suspended.entry), ['account.suspend', id, id, { name: 'Baker' }])
  const resumed = await call('POST', `/accounts/${id}/resume`)
  assert.deepEqual(contentOf(resumed.entry), ['account.resume', id, id, { name: 'Baker' }])

  const expiresAt = '2030-12-31T18:00:00.000Z'
  const key = (await call('POST', `/accounts/${id}/keys`, { body: { name: 'till', expiresAt } })) as AdminItem
  const { hint } = key.value
  assert.deepEqual(contentOf(key.entry), ['key.issue', key.value.id, id, { name: 'till', hint, expires: expiresAt }])
  const rotated = await call('POST', `/keys/${key.value.id}/rotate`, { body: { overlapSeconds: 0 } })
  assert.deepEqual(contentOf(rotated.entry), [
    'key.rotate',
    key.value.id,
    id,
    {
      hint: rotated.value.hint,
      'old key works until': new Date(service.clock.now).toISOString(),
      successor: String(rotated.value.id),
    },
  ])
  const { now } = service.clock
  await service.store.createBan(key.value.id, { startedAt: now, endsAt: now + 9_000, ordinal: 1 })
  const lifted = await call('POST', `/keys/${key.value.id}/lift-ban`)
  assert.deepEqual(contentOf(lifted.entry).slice(0, 3), ['ban.lift', lifted.value.id, id])
  assert.equal(lifted.entry.details.key, String(key.value.id))
  const revoked = await call('POST', `/keys/${key.value.id}/revoke`)
  assert.deepEqual(contentOf(revoked.entry), ['key.revoke', key.value.id, id, { name: 'till', hint }])

  const pet = await call('POST', '/pets', { body: { name: 'Rex', categoryId: 2n ** 63n - 1n } })
  const described = { name: 'Rex', categoryId: '9223372036854775807', status: 'available' }
  assert.deepEqual(contentOf(pet.entry), ['pet.create', pet.value.id, null, described])
  const corrected = await call('PATCH', `/pets/${pet.value.id}`, {
    ...match,
    body: { name: 'Max', status: 'available' },
  })
  assert.deepEqual(contentOf(corrected.entry), ['pet.correct', pet.value.id, null, { name: 'Rex → Max' }])
  const removed = await call('DELETE', `/pets/${pet.value.id}`, match)
  assert.deepEqual(contentOf(removed.entry), ['pet.delete', pet.value.id, null, { ...described, name: 'Max' }])

  const deleted = await call('DELETE', `/accounts/${id}`)
  assert.deepEqual(contentOf(deleted.entry), ['account.delete', id, id, { name: 'Baker' }])
  const ofDeleted = (await walk(service, `/audit?account=${id}&limit=4`)).items
  assert.equal(ofDeleted.length, 10)
  assert.deepEqual(ofDeleted.map(({ action }: AdminItem) => action).toReversed(), [
    'account.create',
    'account.rename',
    'account.set-plan',
    'account.suspend',
    'account.resume',
    'key.issue',
    'key.rotate',
    'ban.lift',
    'key.revoke',
    'account.delete',
  ])
})

test('the entries of signing in and out name the token', async () => {
  const { cookie, csrf } = await service.signIn(service.staff.token)
  const [signedIn] = (await service.call('GET', '/audit?limit=1')).value
  assert.deepEqual([signedIn.action, signedIn.actor, signedIn.subjectId], ['session.sign-in', SAM, service.staff.id])
  await service.call('DELETE', '/session', { cookie, csrf })
  const [signedOut] = (await service.call('GET', '/audit?limit=1')).value
  assert.deepEqual(
    [signedOut.action, signedOut.actor, signedOut.subjectId],
    ['session.sign-out', SAM, service.staff.id],
  )
})

test('a refused call leaves no entry', async () => {
  const { account, keyId } = await service.createCaller()
  const pet = (await service.call('POST', '/pets', { body: { name: 'Rex', categoryId: 1 } })).value
  const before = service.snapshot()
  for (const [method, path, body, code] of [
    ['POST', '/accounts', { name: account.name, plan: 'free' }, 'conflict'],
    ['POST', '/accounts', { name: 'x', plan: 'gold' }, 'invalid_body'],
    ['PATCH', `/accounts/${account.id}`, { name: '7' }, 'invalid_input'],
    ['POST', `/accounts/${account.id}/resume`, undefined, 'conflict'],
    ['POST', '/accounts/999/suspend', undefined, 'not_found'],
    ['POST', `/accounts/${account.id}/keys`, { name: '' }, 'invalid_input'],
    ['POST', `/keys/${keyId}/lift-ban`, undefined, 'conflict'],
    ['PATCH', `/pets/${pet.id}`, { name: 'Max' }, 'precondition_required'],
    ['DELETE', `/pets/${pet.id}`, undefined, 'precondition_required'],
    ['POST', '/session', { token: 'x' }, 'invalid_token'],
  ] as const) {
    assertRefused(await service.call(method, path, { body }), code)
  }
  assert.deepEqual(service.snapshot(), before)
})

test('reading leaves no entry', async () => {
  const before = service.snapshot()
  for (const path of ['/pets', '/accounts', '/keys', '/bans', '/usage', '/audit', '/session'])
    await service.call('GET', path)
  assert.deepEqual(service.snapshot(), before)
})

test('an address is accepted only from a trusted proxy', async t => {
  const alone = await startOperatorService(t)
  const forwarded = async (at: OperatorService, address: string) => {
    const headers = { 'X-Forwarded-For': address }
    await at.call('POST', '/pets', { body: { name: 'Rex', categoryId: 1 }, headers })
    return (await newest(at)).origin
  }
  assert.equal(await forwarded(alone, '203.0.113.9'), '127.0.0.1')
  assert.equal(await forwarded(service, '203.0.113.9'), '203.0.113.9')
  assert.equal(await forwarded(service, '2001:DB8:0::1'), '2001:db8::1')
  assert.equal(await forwarded(service, '<script>'), '127.0.0.1')
  assert.equal(await forwarded(service, '127.0.0.1'), '127.0.0.1')
})

test('actions on the command line are in the same log', async () => {
  const settings = { PETSTORE_DATA: service.config.dataFolder }
  const { code, stderr } = await petstore(['account', 'create', 'From the shell', '--plan', 'free'], settings)
  assert.equal(code, 0, stderr)
  const entry = await newest(service)
  assert.deepEqual([entry.action, entry.origin], ['account.create', 'command line'])
})

test('all entries, or those of an account or an action, are listed page by page, newest first', async t => {
  const another = await startOperatorService(t)
  const { account } = await another.createCaller()
  for (let n = 0; n < 5; n += 1) await another.issueKey(account)
  const all = (await walk(another, '/audit')).items
  const ids = (entries: AdminItem[]) => entries.map(({ id }) => Number(id))
  assert.deepEqual(ids(all), [9, 8, 7, 6, 5, 4, 3, 2, 1])
  for (const [path, pages, expected] of [
    ['/audit?limit=4', 3, [9, 8, 7, 6, 5, 4, 3, 2, 1]],
    ['/audit?limit=9', 1, [9, 8, 7, 6, 5, 4, 3, 2, 1]],
    ['/audit?before=3', 1, [2, 1]],
    ['/audit?action=key.issue&limit=4', 2, [9, 8, 7, 6, 5, 4]],
    ['/audit?action=token.create', 1, [2, 1]],
    [`/audit?account=${account.id}&limit=3`, 3, [9, 8, 7, 6, 5, 4, 3]],
    [`/audit?account=${encodeURIComponent(account.name)}&action=account.create`, 1, [3]],
    ['/audit?account=999', 1, []],
  ] as const) {
    const walked = await walk(another, path)
    assert.deepEqual([walked.pages, ids(walked.items)], [pages, expected], path)
  }
  assertRefused(await another.call('GET', '/audit?account=nobody'), 'not_found')
  for (const action of ['key', 'KEY.ISSUE', 'key.issue,key.rotate']) {
    assertRefused(await another.call('GET', `/audit?action=${action}`), 'invalid_parameter')
  }
})

test('reading all pages returns every entry that existed at the start once, whatever is written in the meantime', async t => {
  const another = await startOperatorService(t)
  const add = () => another.call('POST', '/pets', { body: { name: 'Rex', categoryId: 1 } })
  for (let n = 0; n < 5; n += 1) await add()
  const met: bigint[] = []
  for (let before = ''; met.length < 7; before = `&before=${met.at(-1)}`) {
    const page = (await another.call('GET', `/audit?limit=2${before}`)).value
    met.push(...page.map(({ id }: AdminItem) => id))
    await add()
  }
  assert.deepEqual(met, [7n, 6n, 5n, 4n, 3n, 2n, 1n])
})

async function newest(at: OperatorService): Promise<AdminItem> {
  return (await at.call('GET', '/audit?limit=1')).value[0]
}
