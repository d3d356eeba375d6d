import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { revokeToken } from '../../src/domain/administration/tokens.ts'
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

// Audit log: which operator did what, from where, and to what. Each entry is written together with the change, and never changed.

const service = await startOperatorService({ after }, { config: { trustedProxies: ['127.0.0.1'] } })
const ANNA = `Anna (token ${service.admin.id})`
const SAM = `Sam (token ${service.staff.id})`

test('every change leaves exactly one entry: when, who, from where, what', async t => {
  for (const operation of CHANGING.filter(one => one.role !== 'anyone' && actionOf(one))) {
    await t.test(operation.id, async () => {
      const { method, path, options } = await exampleOf(operation, service)
      const { cookie, csrf } = await service.signIn(service.admin.token)
      const before = await newest(service)
      service.clock.advance(3_000)
      const calledAt = Date.now()
      const headers = { ...options.headers, 'X-Forwarded-For': '203.0.113.9, 198.51.100.7' }
      const answer = await service.call(method, path, { ...options, cookie, csrf, headers })
      assert.equal(answer.status, operation.status, answer.text)
      const [entry, earlier] = (await service.call('GET', '/audit')).value
      assert.deepEqual(earlier, before, 'one entry, not two')
      const { id, at, actor, tokenId, origin, action } = entry
      // The entry of an import is written at its end, by a clock that runs.
      const late = Date.parse(at) - service.clock.now
      const isImport = operation.id === 'importPets' || operation.id === 'syncSource'
      assert.ok(isImport ? late >= 0 && late <= Date.now() - calledAt : late === 0, `${late} ms late`)
      assert.deepEqual(
        { id, actor, tokenId, origin, action },
        {
          id: before.id + 1n,
          actor: ANNA,
          tokenId: service.admin.id,
          origin: '198.51.100.7',
          action: actionOf(operation),
        },
      )
    })
  }
})

test('an entry has its subject, the account that it concerns, and the values before and after', async () => {
  const call = async (method: string, path: string, options: CallOptions = {}) => {
    const answer = await service.call(method, path, options)
    assert.ok(answer.status < 300, answer.text)
    const [entry] = (await service.call('GET', '/audit?limit=1')).value
    return { value: answer.status === 204 ? undefined : answer.value, entry }
  }
  const assertEntry = (entry: AdminItem, action: string, [subjectId, accountId]: unknown[], facts: object) => {
    assert.deepEqual([entry.action, entry.subjectId, entry.accountId], [action, subjectId, accountId])
    const { before, after, details } = entry
    assert.deepEqual({ before, after, details }, { before: null, after: null, details: {}, ...facts }, action)
  }
  const match = { headers: { 'If-Match': '*' } }
  const now = new Date(service.clock.now).toISOString()

  const account = await call('POST', '/accounts', { body: { name: 'Bakery', plan: 'pro' } })
  const { id } = account.value
  const pro = { plan: 'pro', perMinute: 300n, perDay: 10_000n }
  const own = { plan: 'enterprise', perMinute: 1n, perDay: 2n }
  assertEntry(account.entry, 'account.create', [id, id], { after: { name: 'Bakery', ...pro } })
  const renamed = await call('PATCH', `/accounts/${id}`, { body: { name: 'Baker' } })
  assertEntry(renamed.entry, 'account.rename', [id, id], { before: { name: 'Bakery' }, after: { name: 'Baker' } })
  const plan = await call('PUT', `/accounts/${id}/plan`, { body: { plan: 'enterprise', perMinute: 1, perDay: 2 } })
  assertEntry(plan.entry, 'account.set-plan', [id, id], { before: pro, after: own })
  const details = { name: 'Baker' }
  const [active, suspended] = [{ suspendedAt: null }, { suspendedAt: now }]
  const suspension = await call('POST', `/accounts/${id}/suspend`)
  assertEntry(suspension.entry, 'account.suspend', [id, id], { details, before: active, after: suspended })
  const resumption = await call('POST', `/accounts/${id}/resume`)
  assertEntry(resumption.entry, 'account.resume', [id, id], { details, before: suspended, after: active })

  const expiresAt = '2030-12-31T18:00:00.000Z'
  const key = (await call('POST', `/accounts/${id}/keys`, { body: { name: 'till', expiresAt } })) as AdminItem
  const keyId = key.value.id
  const named = { name: 'till', hint: key.value.hint }
  const access = { scope: 'read-write', networks: null }
  assertEntry(key.entry, 'key.issue', [keyId, id], { after: { ...named, ...access, expiresAt } })
  const bound = await call('PATCH', `/keys/${keyId}`, { body: { scope: 'read', networks: ['192.0.2.7', '::1'] } })
  assertEntry(bound.entry, 'key.change', [keyId, id], {
    details: named,
    before: access,
    after: { scope: 'read', networks: '192.0.2.7/32, ::1/128' },
  })
  const rotated = await call('POST', `/keys/${keyId}/rotate`, { body: { overlapSeconds: 0 } })
  assertEntry(rotated.entry, 'key.rotate', [keyId, id], {
    details: { ...named, successorHint: rotated.value.hint },
    before: { expiresAt, replacedBy: null },
    after: { expiresAt: now, replacedBy: rotated.value.id },
  })
  const startedAt = service.clock.now
  await service.store.createBan(keyId, {
    source: '192.0.2.7',
    earnedIn: 'minute',
    startedAt,
    endsAt: startedAt + 9_000,
    ordinal: 1,
  })
  const lifted = await call('POST', `/keys/${keyId}/lift-ban`)
  assertEntry(lifted.entry, 'ban.lift', [lifted.value.id, id], {
    details: { keyId, ...named },
    before: { liftedAt: null },
    after: { liftedAt: now },
  })
  const revoked = await call('POST', `/keys/${keyId}/revoke`)
  const revocation = { before: { revokedAt: null }, after: { revokedAt: now } }
  assertEntry(revoked.entry, 'key.revoke', [keyId, id], { details: named, ...revocation })

  const rex = { name: 'Rex', categoryId: 2n ** 63n - 1n, status: 'available' }
  const pet = await call('POST', '/pets', { body: { name: rex.name, categoryId: rex.categoryId } })
  assertEntry(pet.entry, 'pet.create', [pet.value.id, null], { after: rex })
  const body = { name: 'Max', status: 'available' }
  const corrected = await call('PATCH', `/pets/${pet.value.id}`, { ...match, body })
  assertEntry(corrected.entry, 'pet.correct', [pet.value.id, null], {
    before: { name: 'Rex' },
    after: { name: 'Max' },
  })
  const removed = await call('DELETE', `/pets/${pet.value.id}`, match)
  assertEntry(removed.entry, 'pet.delete', [pet.value.id, null], { before: { ...rex, name: 'Max' } })

  const deleted = await call('DELETE', `/accounts/${id}`)
  assertEntry(deleted.entry, 'account.delete', [id, id], { before: { name: 'Baker', ...own, suspendedAt: null } })
  const ofDeleted = (await walk(service, `/audit?account=${id}&limit=4`)).items
  assert.equal(ofDeleted.length, 11)
  assert.deepEqual(ofDeleted.map(({ action }: AdminItem) => action).toReversed(), [
    'account.create',
    'account.rename',
    'account.set-plan',
    'account.suspend',
    'account.resume',
    'key.issue',
    'key.change',
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
  for (const action of ['keys', 'KEY.ISSUE', 'key.issue,key.rotate']) {
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

test('entries are found by operator, subject, kind of action and time', async t => {
  const another = await startOperatorService(t)
  const start = another.clock.now
  const at = (ms: number) => encodeURIComponent(new Date(start + ms).toISOString())
  const pet = (await another.call('POST', '/pets', { body: { name: 'Rex', categoryId: 1 } })).value
  another.clock.advance(60_000)
  const { token } = another.staff
  const max = { token, headers: { 'If-Match': '*' }, body: { name: 'Max' } }
  await another.call('PATCH', `/pets/${pet.id}`, max)
  await another.signIn(token)
  const day = new Date(start).toISOString().slice(0, 10)
  const every = ['session.sign-in', 'pet.correct', 'pet.create', 'token.create', 'token.create']
  for (const [query, expected] of [
    ['operator=Sam', ['session.sign-in', 'pet.correct']],
    [`operator=${another.staff.id}`, ['session.sign-in', 'pet.correct']],
    ['operator=Anna', ['pet.create']],
    ['operator=ada', ['token.create', 'token.create']],
    ['operator=7', []],
    ['operator=Sam&action=pet', ['pet.correct']],
    ['action=token', ['token.create', 'token.create']],
    [`subjectKind=pet&subjectId=${pet.id}`, ['pet.correct', 'pet.create']],
    [`subjectKind=token&subjectId=${another.staff.id}`, ['session.sign-in', 'token.create']],
    [`subjectKind=token&subjectId=${another.staff.id}&to=${at(1)}`, ['token.create']],
    [`from=${at(1)}`, ['session.sign-in', 'pet.correct']],
    [`from=${at(0)}&to=${at(60_000)}`, ['pet.create', 'token.create', 'token.create']],
    [`from=${day}&to=${day}`, every],
    [`from=${at(1)}&to=${at(1)}`, []],
    ['to=2020-01-01', []],
    ['from=2100-01-01', []],
  ] as const) {
    const { items } = await walk(another, `/audit?limit=2&${query}`)
    const actions = items.map(({ action }: AdminItem) => action)
    assert.deepEqual(actions, expected, query)
    const exported = await another.call('GET', `/audit/export?${query}`)
    assert.equal(exported.header('content-type'), 'application/x-ndjson')
    const lines = exported.text.split('\n').slice(0, -1)
    assert.deepEqual(
      lines.map(line => JSON.parse(line)),
      JSON.parse(JSON.stringify(items, (_, value) => (typeof value === 'bigint' ? Number(value) : value))),
      query,
    )
  }
  const wrong = `/audit?from=${at(1)}&to=${at(0)}`
  assertRefused(await another.call('GET', wrong), 'invalid_parameter', 'from must not be later than to.')
  assertRefused(await another.call('GET', '/audit/export?account=nobody'), 'not_found')
})

test('refused sign-ins are found by their action', async t => {
  const another = await startOperatorService(t)
  await another.call('POST', '/session', { token: null, body: { token: 'wrong' } })
  await another.close()
  const [entry] = await (await another.openStore()).listAudit({ action: 'sign-in', limit: 9 })
  assert.deepEqual([entry?.action, entry?.details], ['sign-in.refused', { wrong: 1 }])
})

test('an export has every entry, however many there are', async t => {
  const another = await startOperatorService(t)
  const entry = { at: 0, actor: '=1+1,"x"\u001b', origin: '', action: 'pet.create' } as const
  const details = { text: 'a "quoted", text\n\u202e', number: 2n ** 63n - 1n }
  await Promise.all(Array.from({ length: 2_500 }, () => another.store.recordAudit({ ...entry, details })))
  const ids = Array.from({ length: 2_502 }, (_, index) => String(2_502 - index))
  const ndjson = (await another.call('GET', '/audit/export')).text.split('\n')
  assert.deepEqual(
    ndjson.slice(0, -1).map(line => /^\{"id":(\d+),/.exec(line)?.[1]),
    ids,
  )
  assert.match(ndjson[0] ?? '', /"number":9223372036854775807\},"pet":null\}$/)
  const answer = await another.call('GET', '/audit/export?format=csv')
  assert.equal(answer.header('content-type'), 'text/csv; charset=utf-8')
  assert.match(answer.header('content-disposition') ?? '', /^attachment; filename="audit-\d{4}-\d\d-\d\d\.csv"$/)
  const [header, newest, ...older] = answer.text.split('\n')
  assert.equal(
    header,
    '\ufeffid,at,actor,tokenId,origin,action,subjectKind,subjectId,subjectName,accountId,account,before,after,details,pet',
  )
  const cells = [
    '2502,1970-01-01T00:00:00.000Z',
    `"'=1+1,""x""\\u{1b}"`,
    ',,pet.create,,,,,,,',
    `"{""text"":""a \\""quoted\\"", text\\n\\u202e"",""number"":9223372036854775807}"`,
  ]
  assert.equal(newest, `${cells[0]},${cells[1]},${cells[2]},${cells[3]},`)
  assert.equal(older.length, 2_502)
})

async function newest(at: OperatorService): Promise<AdminItem> {
  return (await at.call('GET', '/audit?limit=1')).value[0]
}

test('an export breaks off when its token is revoked, and does not look complete', async t => {
  const another = await startOperatorService(t)
  const details = { text: 'x'.repeat(6_000) }
  const entry = { at: 0, actor: 'Anna', origin: '', action: 'pet.create', details } as const
  await Promise.all(Array.from({ length: 3_000 }, () => another.store.recordAudit(entry)))
  const { id, token } = await another.createToken('staff')
  const answer = await fetch(`${another.operatorUrl}/admin/v1/audit/export`, {
    headers: { Authorization: `Bearer ${token}` },
  })
  assert.equal(answer.status, 200)
  await revokeToken(another.adminContext(), String(id))
  await assert.rejects(answer.text(), TypeError)
  const whole = await fetch(`${another.operatorUrl}/admin/v1/audit/export`, {
    headers: { Authorization: `Bearer ${another.staff.token}` },
  })
  assert.equal((await whole.text()).trimEnd().split('\n').length, 3_000 + 4)
})

test('the log of an animal has imports, syncs, changes of many and undone actions, with its values before and after', async t => {
  const own = await startOperatorService(t)
  const call = async (method: string, path: string, options: CallOptions = {}) => {
    const answer = await own.call(method, path, options)
    assert.ok(answer.status < 300, answer.text)
    return answer.value
  }
  const csv = (body: string) => ({ body, type: 'text/csv' })
  await call('POST', '/pets/import', csv('name,categoryId\nRex,7\nBella,7\n'))
  await call('POST', '/sources', { body: { name: 'riverside' } })
  await call('PUT', '/sources/riverside/file', csv('ID,AnimalName,Type,Status\na,Tom,7,A\n'))
  await call('PUT', '/sources/riverside/file', csv('ID,AnimalName,Type,Status\na,Tom,7,X\n'))
  const ids = [1, 3]
  const { version } = await call('POST', '/pets/bulk/preview', { body: { ids } })
  const { entryId } = await call('POST', '/pets/bulk/correct', { body: { ids, change: { name: 'Max' }, version } })
  await call('POST', `/audit/${entryId}/undo`, { body: {} })

  const logOf = async (id: number) =>
    (await walk(own, `/audit?subjectKind=pet&subjectId=${id}&limit=2`)).items.map(({ action, pet }: AdminItem) => {
      assert.equal(pet.id, BigInt(id))
      const [before, after] = [pet.before, pet.after].map(one => one && `${one.name} ${one.status}`)
      return `${action}: ${before} → ${after}`
    })
  assert.deepEqual(await logOf(1), [
    'pet.undo: Max available → Rex available',
    'pet.correct-many: Rex available → Max available',
    'pet.import: null → Rex available',
  ])
  assert.deepEqual(await logOf(3), [
    'pet.undo: Max sold → Tom sold',
    'pet.correct-many: Tom sold → Max sold',
    'pet.sync: Tom available → Tom sold',
    'pet.sync: null → Tom available',
  ])
  const lines = (await own.call('GET', '/audit/export?subjectKind=pet&subjectId=2')).text.trim().split('\n')
  assert.deepEqual(
    lines.map(line => JSON.parse(line).pet.after.name),
    ['Bella'],
  )

  const changed = (await walk(own, `/audit/${entryId}/pets?limit=1`)).items
  assert.deepEqual(
    changed.map(({ id, before, after }: AdminItem) => [id, before.name, after.name]),
    [
      [1n, 'Rex', 'Max'],
      [3n, 'Tom', 'Max'],
    ],
  )
  assertRefused(await own.call('GET', '/audit/999/pets'), 'not_found')
  const [other] = await call('GET', '/audit?limit=1')
  assert.equal(other.pet, null)
})

test('entries have the names of accounts and keys beside their ids', async () => {
  const { account } = await service.createCaller()
  const { id } = (await service.call('POST', `/accounts/${account.id}/keys`, { body: { name: 'till' } })).value
  const [entry] = (await service.call('GET', `/audit?subjectKind=key&subjectId=${id}`)).value
  assert.deepEqual([entry.subjectName, entry.accountId, entry.account], ['till', account.id, account.name])
})
