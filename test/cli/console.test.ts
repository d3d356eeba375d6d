import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { test } from 'node:test'
import { createToken } from '../../src/domain/administration/tokens.ts'
import { assertUserError, makeStore, type Serving, startServe } from '../support/command-line.ts'

// petstore console prints a link that signs its user in, once.

const USER = userInfo().username

test('the link of petstore console signs the user in once, as an admin', async t => {
  const service = await startServe(t)
  const printed = await consoleOf(service).text('console')
  const [address = ''] = printed.split('\n')
  const [, secret = ''] =
    /^http:\/\/127\.0\.0\.1:\d+\/console\/sign-in#(petstore_sign_in_live_\w{36})$/.exec(address) ?? []
  assert.ok(address.startsWith(service.operatorUrl), address)
  assert.match(
    printed,
    new RegExp(`within 5 minutes\\. It signs one browser in, once, as "${USER}" with the role admin`),
  )
  const page = await fetch(address)
  assert.equal(page.status, 200)
  const first = await signIn(service, secret)
  assert.equal(first.status, 201)
  const { operator } = (await first.json()) as { operator: object }
  assert.deepEqual(operator, { tokenId: 1, name: USER, role: 'admin' })
  assert.equal((await signIn(service, secret)).status, 401)
  const { stderr } = await service.stop('SIGTERM')
  assert.ok(!(service.stdout + stderr).includes(secret.slice(-30)), 'it is not in the log')
})

test('petstore console --json prints the link, its end and its operator', async t => {
  const service = await startServe(t)
  const before = Date.now()
  const { url, expiresAt, ...rest } = await consoleOf(service).json('console', '--role', 'staff')
  assert.match(url, /#petstore_sign_in_live_\w{36}$/)
  const lifetime = Date.parse(expiresAt) - before
  assert.ok(lifetime >= 300_000 && lifetime < 360_000, expiresAt)
  assert.deepEqual(rest, { tokenId: 1, name: USER, role: 'staff' })
  assert.equal((await consoleOf(service).json('console', '--role', 'staff')).tokenId, 1, 'the token is reused')
  assert.equal((await consoleOf(service).json('console')).tokenId, 2)
  assert.equal((await consoleOf(service).json('console', '--name', ` ${USER} `)).tokenId, 2)
  const tokens = await service.store.json('token', 'list')
  assert.deepEqual(
    tokens.map(({ name, role, state }: Record<string, string>) => [name, role, state]),
    [
      [USER, 'staff', 'active'],
      [USER, 'admin', 'active'],
    ],
  )
})

test('a link for a colleague works for as long as --valid-for says', async t => {
  const service = await startServe(t)
  const link = (...more: string[]) => consoleOf(service).json('console', '--name', 'Ben', '--role', 'staff', ...more)
  const before = Date.now()
  const { expiresAt } = await link('--valid-for', '7d')
  const lifetime = Date.parse(expiresAt) - before
  assert.ok(lifetime >= 604_800_000 && lifetime < 604_860_000, expiresAt)
  const printed = await consoleOf(service).text('console', '--name', 'Ben', '--role', 'staff', '--valid-for', '3600')
  assert.match(printed, /^Open it by \d{4}-\S+Z\. It signs one browser in, once, as "Ben" with the role staff/m)
  for (const wrong of ['59', '8d', 'long']) {
    assertUserError(await consoleOf(service).run('console', '--valid-for', wrong), /from one minute to 7 days/, 2)
  }
})

test('over ssh, petstore console prints the command that makes the link work on the machine of the user', async t => {
  const service = await startServe(t)
  const { port } = new URL(service.operatorUrl)
  const over = (connection: string, more = {}) =>
    consoleOf(service).with({ SSH_CONNECTION: connection, LOGNAME: 'ada', ...more })
  const printed = (await over('198.51.100.7 50000 192.0.2.1 22').text('console')).split('\n')
  assert.deepEqual(printed.slice(0, 3), [
    'First, on your own machine, run:',
    `  ssh -L ${port}:127.0.0.1:${port} ada@192.0.2.1`,
    'Then open there:',
  ])
  assert.match(printed[3] ?? '', /^http:\S+#petstore_sign_in_live_/)
  const { ssh } = await over('2001:db8::7 50000 2001:db8::1 2222', { SUDO_USER: 'eve' }).json('console')
  assert.equal(ssh, `ssh -L ${port}:127.0.0.1:${port} -p 2222 eve@2001:db8::1`)
  const proxied = await over('198.51.100.7 50000 192.0.2.1 22').json(
    'console',
    '--url',
    'https://operators.example.com:8443',
  )
  assert.equal(proxied.ssh, undefined)
})

test('with --url, the link leads to a proxy, and no service needs to listen here', async t => {
  const store = await makeStore(t, { PETSTORE_OPERATOR_PORT: '1' })
  await store.act(context => createToken(context, { name: 'Anna', role: 'admin' }))
  for (const [given, shown] of [
    ['https://operators.example.com', 'https://operators.example.com/console/sign-in#'],
    ['https://example.com/petstore/', 'https://example.com/petstore/console/sign-in#'],
    ['https://example.com/petstore/console/', 'https://example.com/petstore/console/sign-in#'],
    ['https://operators.example.com/console', 'https://operators.example.com/console/sign-in#'],
  ] as const) {
    const { url } = await store.json('console', '--url', given)
    assert.ok(url.startsWith(shown), url)
  }
})

test('a link that could not be opened is not created', async t => {
  const store = await makeStore(t)
  await store.act(context => createToken(context, { name: 'Anna', role: 'admin' }))
  const closed = await store.with({ PETSTORE_OPERATOR_PORT: '1' }).run('console')
  assertUserError(closed, /^error: Nothing listens on port 1 of 127\.0\.0\.1; start the service with petstore serve/, 1)
  const any = await store.with({ PETSTORE_OPERATOR_PORT: '0' }).run('console')
  assertUserError(any, /PETSTORE_OPERATOR_PORT is 0; pass the address/, 2)
  for (const url of ['operators.example.com', 'ftp://a', 'https://me:secret@a', 'https://a/?b', 'https://a/#b']) {
    assertUserError(await store.run('console', '--url', url), /must be an http or https URL/, 2)
  }
  assertUserError(await store.run('console', '--role', 'boss'), /no role "boss"/, 2)
  const named = await store.run('console', '--name', 'a\nb', '--url', 'https://a')
  assertUserError(named, /no control characters/, 2)
  assert.equal((await store.json('token', 'list')).length, 1)
  assert.equal(
    (await store.json('audit')).filter(({ action }: { action: string }) => action === 'token.link').length,
    0,
  )
})

/** The command with the port that the service was given. */
function consoleOf({ store, operatorUrl }: Serving) {
  return store.with({ PETSTORE_OPERATOR_PORT: new URL(operatorUrl).port })
}

function signIn({ operatorUrl }: Serving, link: string): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return fetch(`${operatorUrl}/admin/v1/session`, { method: 'POST', headers, body: JSON.stringify({ link }) })
}
