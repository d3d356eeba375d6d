import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createSignInLink } from '../../src/domain/administration/sign-in-links.ts'
import { SECRET_PREFIX } from '../../src/domain/secret-forms.ts'
import { call as callPublic } from '../support/call.ts'
import { type CallOptions, type OperatorService, startOperatorService } from '../support/operator.ts'

// No secret is written to the log, the audit log or the store, wherever in a request it was.

for (const [kind, gather] of [
  ['key or token', gatherKeysAndTokens],
  ["session's secret or CSRF token", gatherSessionSecrets],
  ['sign-in link', gatherSignInLinks],
] as const) {
  test(`no ${kind} is in anything that is written`, async t => {
    const service = await startOperatorService(t)
    const secrets = await gather(service)
    for (const [, secret] of secrets) await sendEverywhere(service, secret)
    const written = await gatherWritten(service)
    for (const [what, secret] of secrets) {
      for (const part of partsOf(secret)) {
        for (const [where, bytes] of written) assert.ok(!bytes.includes(part), `${what} is in ${where}`)
      }
    }
  })
}

test('this test would find a secret', async t => {
  const service = await startOperatorService(t)
  const headers = { 'X-Request-Id': 'id-in-the-log' }
  const body = { name: 'name-in-the-store', categoryId: 1 }
  await service.call('POST', '/pets', { body, headers })
  await service.call('GET', `/pets/path-in-the-log`)
  const { key } = await service.createCaller()
  await callPublic(service, {
    path: '/v1/pets/0?query-in-the-store',
    key,
    headers: { 'User-Agent': 'agent-in-the-store' },
  })
  const written = new Map(await gatherWritten(service))
  for (const [mark, where] of [
    ['id-in-the-log', 'the log'],
    ['path-in-the-log', 'the log'],
    ['name-in-the-store', 'the audit log'],
  ] as const) {
    assert.ok(written.get(where)?.includes(mark), `${mark} in ${where}`)
  }
  const stored = [...written].filter(([where]) => where.startsWith('petstore.db')).map(([, bytes]) => bytes)
  for (const mark of ['name-in-the-store', 'query-in-the-store', 'agent-in-the-store']) {
    assert.ok(
      stored.some(bytes => bytes.includes(mark)),
      mark,
    )
  }
})

test('whatever a client sends, a line of the log is short and harmless to a terminal', async t => {
  const service = await startOperatorService(t)
  const { key } = await service.createCaller()
  const body = { token: 'x' }
  for (const text of ['x.'.repeat(7_000), '\x9b2J\x85\u00ad'.repeat(2_000), '%C2%9B'.repeat(2_000)]) {
    for (const name of ['Origin', 'Sec-Fetch-Site', 'X-Request-Id', 'User-Agent']) {
      await service.call('POST', '/session', { token: null, body, headers: { [name]: text } })
      await callPublic(service, { path: '/v1/pets', key, headers: { [name]: text } })
    }
    const path = `/${encodeURI(text).slice(0, 7_000)}`
    await callPublic(service, { path, key })
    await service.ask('GET', path)
  }
  await service.close()
  assert.ok(service.logs.some(line => line.includes('csrf_refused')))
  for (const line of service.logs) {
    assert.ok(line.length < 2_000, line)
    assert.doesNotMatch(line, /[\x80-\x9f\u00ad]/)
  }
})

type Secret = [what: string, secret: string]

async function gatherKeysAndTokens(service: OperatorService): Promise<Secret[]> {
  const { account } = await service.createCaller()
  const issued = (await service.call('POST', `/accounts/${account.id}/keys`, { body: { name: 'till' } })).value
  const rotated = (await service.call('POST', `/keys/${issued.id}/rotate`, { body: {} })).value
  const revoked = (await service.call('POST', `/accounts/${account.id}/keys`, { body: {} })).value
  await service.call('POST', `/keys/${revoked.id}/revoke`)
  const link = async () => (await service.call('POST', `/accounts/${account.id}/claim-links`, { body: {} })).value.link
  const open = new URL(await link()).pathname
  const used = new URL(await link()).pathname
  const headers = [['Content-Type', 'application/x-www-form-urlencoded']] as const
  const claimed = await callPublic(service, { method: 'POST', path: used, headers, body: '', type: null })
  const expiring = await service.createToken('admin', { expiresAt: service.clock.now + 60_000 })
  return [
    ['a key', issued.key],
    ['the successor of a key', rotated.key],
    ['a revoked key', revoked.key],
    ['a claim link', open.slice('/claim/'.length)],
    ['a used claim link', used.slice('/claim/'.length)],
    ['a claimed key', /petstore_live_\w{36}/.exec(claimed.text)?.[0] as string],
    ['a token of an admin', service.admin.token],
    ['a token of the staff', service.staff.token],
    ['a token that expires', expiring.token],
  ]
}

async function gatherSessionSecrets(service: OperatorService): Promise<Secret[]> {
  const browser = await service.signIn(service.staff.token)
  const ended = await service.signIn(service.admin.token)
  await service.call('DELETE', '/session', { cookie: ended.cookie, csrf: ended.csrf })
  return [
    ['the secret of a session', browser.secret],
    ['the CSRF token of a session', browser.csrf],
    ['the secret of an ended session', ended.secret],
    ['the CSRF token of an ended session', ended.csrf],
  ]
}

async function gatherSignInLinks(service: OperatorService): Promise<Secret[]> {
  const create = () => createSignInLink(service.adminContext(), { name: 'Olga', role: 'admin' })
  const [used, unused] = [await create(), await create()]
  await service.call('POST', '/session', { token: null, body: { link: used.secret } })
  return [
    ['a used link', used.secret],
    ['a link', unused.secret],
  ]
}

/** Sends a secret in every place where a client may put it, correctly or by mistake, on both listeners. */
async function sendEverywhere(service: OperatorService, secret: string): Promise<void> {
  const encoded = secret.replace('_', '%5F')
  const places: CallOptions[] = [
    { token: secret },
    { token: `${secret}x` },
    { token: null, cookie: `petstore_session_live=${secret}` },
    { token: null, cookie: secret },
    { csrf: secret },
    { headers: { 'X-Request-Id': secret } },
    { headers: { 'X-Request-Id': `me:${secret}` } },
    { headers: { 'X-API-Key': secret, 'User-Agent': secret, Referer: `https://a.test/?key=${secret}` } },
    { headers: { 'X-Forwarded-For': secret, 'If-Match': `"${secret}"`, Origin: `https://${secret}.test` } },
    { token: null, headers: { Origin: secret } },
    { token: null, headers: { Origin: `https://x.test/${encoded}`, 'Sec-Fetch-Site': secret } },
  ]
  for (const options of places) {
    service.clock.advance(60_000)
    await service.call('GET', '/session', options)
    await service.call('DELETE', '/pets/1', options)
    await service.ask('GET', '/readyz', options)
    await service.call('POST', '/session', { body: { token: 'x' }, ...options })
  }
  for (const target of [
    `/admin/v1/pets/${secret}`,
    `/admin/v1/keys/${secret}`,
    `/admin/v1/accounts/${encoded}`,
    `/admin/v1/${secret}`,
    `/${secret}`,
    `/docs/${secret}`,
    `/admin/v1/pets?key=${secret}`,
    `/admin/v1/pets?name=${secret}`,
    `/admin/v1/keys?account=${secret}`,
    `/admin/v1/keys?search=${secret}`,
    `/admin/v1/usage?by=${secret}`,
    `/metrics?token=${secret}`,
  ]) {
    service.clock.advance(6_000)
    await service.ask('GET', target)
    await service.ask('GET', target, { token: null })
  }
  for (const body of [
    { token: secret },
    { link: `${secret}x` },
    { secret },
    { secret: `${secret}x ${secret}` },
    { name: 'Rex', categoryId: 1, token: secret, [secret]: 1 },
    { name: 5, plan: secret },
    `{"token":"${secret}"`,
    secret,
  ]) {
    service.clock.advance(60_000)
    for (const path of ['/session', '/pets', '/accounts', '/keys/find']) await service.call('POST', path, { body })
  }
  await service.send(`GET ${secret} HTTP/1.1\r\n\r\n`)
  await service.send(`${secret}\r\n\r\n`)
  await service.send(`GET /livez HTTP/1.1\r\nHost: ${secret} x\r\nX-Request-Id: ${secret}\r\n\r\n`)
  const session = 'Content-Type: application/json\r\nContent-Length: 13\r\n\r\n{"token":"x"}'
  for (const host of [secret, encoded, `${secret}.test:8081`]) {
    await service.send(`POST /admin/v1/session HTTP/1.1\r\nOrigin: https://a.test\r\nHost: ${host}\r\n${session}`)
  }
  await sendInPublic(service, secret)
}

async function sendInPublic(service: OperatorService, secret: string): Promise<void> {
  const { key } = await service.createCaller()
  for (const path of [
    '/v1/pets',
    `/v1/pets/${secret}`,
    `/claim/${secret}`,
    `/${secret}`,
    `/v1/pets?cursor=${secret}`,
    `/v1/pets/4711?key=${secret.replaceAll('_', '%255F')}`,
    `/v1/pets/4711?q=${'x.'.repeat(490)}${secret}`,
  ]) {
    await callPublic(service, { path, key: secret })
    await callPublic(service, { path, key, headers: { 'User-Agent': `x ${secret}`, 'X-Request-Id': secret } })
    await callPublic(service, { path, headers: { 'X-Request-Id': secret, Cookie: `petstore_session_live=${secret}` } })
  }
}

/** Everything that the service has written, from its start to its end. */
async function gatherWritten(service: OperatorService): Promise<[where: string, bytes: Buffer][]> {
  const entries = await service.store.listAudit({ limit: 10_000 })
  const audit = JSON.stringify(entries, (_, value) => (typeof value === 'bigint' ? String(value) : value))
  const files = () => {
    const { dataFolder } = service.config
    return readdirSync(dataFolder).map((name): [string, Buffer] => [name, readFileSync(join(dataFolder, name))])
  }
  const running = files()
  assert.ok(running.some(([name]) => name === 'petstore.db') && running.some(([name]) => name === 'petstore.db-wal'))
  await service.close()
  return [
    ['the log', Buffer.from(service.logs.join(''))],
    ['the audit log', Buffer.from(audit)],
    ...running,
    ...files().map(([name, bytes]): [string, Buffer] => [`${name} at the end`, bytes]),
  ]
}

/** The whole secret, and its random characters alone. */
function partsOf(secret: string): string[] {
  const random = secret.replace(new RegExp(`^${SECRET_PREFIX}`), '')
  return [secret, random.slice(0, 30)]
}
