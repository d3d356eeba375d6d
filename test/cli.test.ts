import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseConfig, SETTINGS } from '../src/config.ts'
import { createAccount, issueKey } from '../src/domain/administration.ts'
import { openStore } from '../src/open-store.ts'

const PROGRAM = fileURLToPath(new URL('../bin/petstore.ts', import.meta.url))
const DAY_MS = 86_400_000

const COMMANDS: readonly (readonly string[])[] = [
  ['serve'],
  ['account', 'create'],
  ['account', 'list'],
  ['account', 'set-plan'],
  ['key', 'create'],
  ['key', 'list'],
  ['key', 'rotate'],
  ['key', 'revoke'],
  ['ban', 'list'],
  ['ban', 'lift'],
]

test('help fits 80 columns, and shows how each command is used', async () => {
  const paths: (readonly string[])[] = [[], ['account'], ['key'], ['ban'], ...COMMANDS]
  await Promise.all(
    paths.map(async path => {
      const { code, stdout, stderr } = await petstore([...path, '--help'])
      assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
      for (const line of stdout.split('\n')) assert.ok(line.length <= 80, line)
      assert.match(stdout, new RegExp(`^Usage: petstore ${path.join(' ')}`))
      if (COMMANDS.includes(path))
        assert.match(stdout, new RegExp(`^Examples:\\n  \\$ .*petstore ${path.join(' ')}`, 'm'))
      if (path.length === 2) assert.match(stdout, /--json/)
    }),
  )
})

test('the help of serve explains every setting', async () => {
  const { stdout } = await petstore(['serve', '--help'])
  for (const { name, default: fallback, meaning } of Object.values(SETTINGS)) {
    assert.ok(stdout.includes(`  ${name}=${fallback}\n`), name)
    assert.ok(stdout.replaceAll(/\s+/g, ' ').includes(meaning), name)
  }
})

test('accounts are created, listed and put on another plan', async t => {
  const store = await makeStore(t)
  const before = Date.now()
  const pro = await store.json('account', 'create', 'Zoo Zürich', '--plan', 'pro')
  const { createdAt, ...rest } = pro
  assertTime(createdAt, before)
  assert.deepEqual(rest, {
    id: 1,
    name: 'Zoo Zürich',
    plan: 'pro',
    perMinute: 300,
    perDay: 10_000,
    deprecatedCalls: 0,
    lastDeprecatedCallAt: null,
  })
  const limits = ['--per-minute', '5', '--per-day', '7']
  const big = await store.json('account', 'create', 'big', '--plan', 'enterprise', ...limits)
  assert.deepEqual([big.id, big.perMinute, big.perDay], [2, 5, 7])
  assert.deepEqual(await store.json('account', 'list'), [pro, big])

  const business = { ...pro, plan: 'business', perMinute: 1_000, perDay: 100_000 }
  assert.deepEqual(await store.json('account', 'set-plan', 'Zoo Zürich', '--plan', 'business'), business)
  const own = { ...big, perMinute: 6, perDay: 8 }
  const changed = ['--plan', 'enterprise', '--per-minute', '6', '--per-day', '8']
  assert.deepEqual(await store.json('account', 'set-plan', '2', ...changed), own)
  assert.deepEqual(await store.json('account', 'list'), [business, own])
  assert.match(await store.text('account', 'list'), /^ID {2}NAME .*\n1 {3}Zoo Zürich {2}business .*\n2 {3}big /)
})

test('keys are issued, listed, rotated and revoked', async t => {
  const store = await makeStore(t)
  await store.text('account', 'create', 'acme', '--plan', 'free')
  await store.text('account', 'create', 'other', '--plan', 'free')
  const before = Date.now()

  const issued = await store.json('key', 'create', 'acme', '--name', 'laptop', '--expires', '2090-12-31')
  const { key, createdAt, ...rest } = issued
  assert.match(key, /^petstore_live_[0-9A-Za-z]{36}$/)
  assertTime(createdAt, before)
  assert.deepEqual(rest, {
    id: 1,
    accountId: 1,
    account: 'acme',
    name: 'laptop',
    hint: key.slice(-4),
    expiresAt: '2090-12-31T00:00:00.000Z',
    state: 'active',
  })
  const other = await store.json('key', 'create', '2', '--expires', '2090-12-31T18:30+01:00')
  assert.deepEqual([other.account, other.name, other.expiresAt], ['other', null, '2090-12-31T17:30:00.000Z'])

  const successor = await store.json('key', 'rotate', '1', '--overlap', '3600')
  assert.deepEqual([successor.id, successor.name, successor.expiresAt], [3, 'laptop', rest.expiresAt])
  const [old, ...others] = await store.json('key', 'list', 'acme')
  assertTime(old.expiresAt, before + 3_600_000)
  assert.deepEqual(old, { ...withoutKey(issued), expiresAt: old.expiresAt, revokedAt: null })
  assert.deepEqual(others, [{ ...withoutKey(successor), revokedAt: null }])

  await store.json('key', 'rotate', '2', '--overlap', '0')
  const revoked = await store.json('key', 'revoke', '3')
  assertTime(revoked.revokedAt, before)
  assert.deepEqual(revoked, { ...withoutKey(successor), revokedAt: revoked.revokedAt, state: 'revoked' })

  const list: { id: number; state: string }[] = await store.json('key', 'list')
  const states = list.map(({ id, state }) => `${id} ${state}`)
  assert.deepEqual(states, ['1 active', '2 expired', '3 revoked', '4 active'])
  assert.match(await store.text('key', 'list', 'acme'), /^ID .*\n1 {3}acme {5}laptop .*\n3 {3}acme .* revoked .*\n$/)
})

test('without --json a key stands on a line of its own, with the word that it is shown only once', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  const issued = await store.text('key', 'create', 'acme')
  assert.match(issued, /^petstore_live_\w{36}\n/)
  assert.match(issued, /shown only once/)
  const rotated = await store.text('key', 'rotate', '1')
  assert.match(rotated, /^petstore_live_\w{36}\n/)
  const [old] = await store.json('key', 'list')
  assertTime(old.expiresAt, Date.now() + DAY_MS, 'a day of overlap unless told otherwise')
  assert.ok(rotated.includes(`works until ${old.expiresAt.slice(0, 19)}Z`))
})

test('a staging store issues staging keys', async t => {
  const store = await makeStore(t, { PETSTORE_DEPLOYMENT: 'staging' })
  await store.issueKey()
  assert.match((await store.json('key', 'create', 'acme')).key, /^petstore_test_/)
})

test('a mistake is one line on standard error, nothing on standard output, and exit code 1', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  const mistakes: readonly (readonly [command: string, message: RegExp])[] = [
    ['account create acme --plan pro', /already/],
    ['account create 12 --plan pro', /not a number/],
    ['account create zoo --plan gold', /no plan "gold"/],
    ['account create zoo --plan enterprise --per-minute 5', /both limits/],
    ['account create zoo --plan pro --per-minute 5', /fixed limits/],
    ['account create zoo --plan enterprise --per-minute 1.5 --per-day 5', /whole number/],
    ['account create zoo', /--plan .* see "petstore account create --help"/],
    ['account create zoo bar --plan pro', /too many arguments/],
    ['account set-plan nobody --plan pro', /no account "nobody"/],
    ['account rename acme', /unknown command/],
    ['account lits', /Did you mean list\?/],
    ['key create acme --expires 2020-01-01', /future/],
    ['key create acme --expires 2090-02-30', /must be a date/],
    ['key create acme --expires 2090-01-01T12:00', /zone/],
    ['key rotate 99', /no key with id "99"/],
    ['key rotate 1 --overlap -1', /whole number/],
    ['key rotate 1 --overlap 99999999', /whole number/],
    ['key revoke acme', /no key with id "acme"/],
    ['ban lift 1', /not banned/],
    ['ban lift', /key-id/],
    ['bann list', /Did you mean ban\?/],
    ['serve --demmo', /Did you mean --demo\?/],
  ]
  await Promise.all(
    mistakes.map(async ([command, message]) => assertMistake(await store.run(...command.split(' ')), message)),
  )
  for (const command of ['account create acme --plan pro --json', 'ban lift 1 --json']) {
    assertMistake(await store.run(...command.split(' ')), /^error: /)
  }
  assert.equal((await store.json('account', 'list')).length, 1, 'nothing was created')
})

test('wrong settings are told one a line, all at once', async () => {
  const { code, stdout, stderr } = await petstore(['account', 'list'], {
    PETSTORE_PORT: 'http',
    PETSTORE_DATABASE_URL: 'postgres://me:secret@localhost/pets',
  })
  assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
  assert.match(
    stderr,
    /^error: PETSTORE_PORT must .*\nerror: PETSTORE_DATABASE_URL is not supported by this version yet; unset it .*\n$/,
  )
  assert.doesNotMatch(stderr, /secret/)
})

test('a store that cannot be used is told in one line', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  assertMistake(await store.with({ PETSTORE_DEPLOYMENT: 'staging' }).run('account', 'list'), /belongs to production/)
  assertMistake(await petstore(['account', 'list'], { PETSTORE_DATA: join(PROGRAM, 'data') }), /cannot be written/)
  if (process.getuid?.() !== 0) {
    await chmod(store.folder, 0o500)
    assertMistake(await store.run('account', 'list'), /cannot be written/)
    await chmod(store.folder, 0o700)
  }
  const [file] = (await readdir(store.folder)).filter(name => name.endsWith('.db'))
  const database = new DatabaseSync(join(store.folder, file ?? ''))
  database.exec('PRAGMA user_version = 999')
  database.close()
  assertMistake(await store.run('account', 'list'), /newer/)
})

test('an address that cannot be listened on is told in one line', async t => {
  const first = await startServe(t)
  const { port } = new URL(first.url)
  const second = await makeStore(t, { PETSTORE_PORT: port })
  assertMistake(
    await second.run('serve'),
    new RegExp(`^error: Port ${port} on 127\\.0\\.0\\.1 is taken; set PETSTORE_PORT to a free one\\.$`),
  )
  const elsewhere = second.with({ PETSTORE_HOST: '192.0.2.1' })
  assertMistake(await elsewhere.run('serve'), /Cannot listen on 192\.0\.2\.1 .*set PETSTORE_HOST/)
  const nowhere = second.with({ PETSTORE_HOST: 'no-such-host.invalid' })
  assertMistake(await nowhere.run('serve'), /set PETSTORE_HOST/)
})

test('what a command changes holds from the next call of the running service on', async t => {
  const service = await startServe(t, { PETSTORE_BAN_AFTER: '1' })
  const { store } = service
  const own = ['--plan', 'enterprise', '--per-day', '1000', '--per-minute']
  await store.text('account', 'create', 'acme', ...own, '1')
  const { key } = await store.json('key', 'create', 'acme')
  assert.equal(await service.statusOf(key), 200, 'a new key works')

  assert.equal(await service.statusOf(key), 429)
  await store.text('account', 'set-plan', 'acme', ...own, '2')
  assert.equal(await service.statusOf(key), 200, 'a new plan gives more')

  const bannedAfter = Date.now()
  await until(async () => (await service.codeOf(key)) === 'api_key_banned')
  const [ban] = await store.json('ban', 'list')
  const { startedAt, endsAt, ...rest } = ban
  assert.deepEqual(rest, { id: 1, keyId: 1, account: 'acme', keyName: null, ordinal: 1 })
  assertTime(startedAt, bannedAfter)
  assert.equal(Date.parse(endsAt) - Date.parse(startedAt), 900_000)
  assert.match(await store.text('ban', 'list'), /^KEY ID .*\n1 {7}acme /)

  await store.text('account', 'set-plan', 'acme', ...own, '100')
  assert.equal(await service.codeOf(key), 'api_key_banned')
  const lifted = await store.json('ban', 'lift', '1')
  assertTime(lifted.liftedAt, bannedAfter)
  assert.deepEqual(lifted, { ...ban, liftedAt: lifted.liftedAt })
  assert.equal(await service.statusOf(key), 200, 'a lifted ban is over')
  assert.deepEqual(await store.json('ban', 'list'), [])

  const successor = await store.json('key', 'rotate', '1')
  assert.deepEqual([await service.statusOf(key), await service.statusOf(successor.key)], [200, 200])
  await store.text('key', 'revoke', '1')
  assert.deepEqual([await service.statusOf(key), await service.statusOf(successor.key)], [401, 200])
  await store.text('key', 'rotate', '2', '--overlap', '0')
  assert.equal(await service.statusOf(successor.key), 401, 'a key rotated without overlap stops at once')
})

test('serve writes nothing but JSON lines to standard output, and warns of unknown settings there', async t => {
  const service = await startServe(t, { PETSTORE_PROT: '80' })
  assert.deepEqual(await service.stop('SIGTERM'), { code: 0, stderr: '' })
  const lines = service.stdout.trimEnd().split('\n')
  const messages = lines.map(line => JSON.parse(line).msg)
  assert.ok(messages.includes('unknown setting PETSTORE_PROT; did you mean PETSTORE_PORT?'))
})

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`after ${signal} the calls in flight are answered, and the exit code is 0`, async t => {
    const service = await startServe(t)
    const key = await service.store.issueKey()
    const call = await service.beginCreating(key)
    const stopped = service.stop(signal)
    await until(() => service.refusesConnections())
    assert.match(await call.finish(), /^HTTP\/1\.1 201 /)
    assert.deepEqual(await stopped, { code: 0, stderr: '' })
  })
}

test('a Ctrl-C that npm passes on once more is one signal', async t => {
  const service = await startServe(t)
  const call = await service.beginCreating(await service.store.issueKey())
  const stopped = service.stop('SIGINT')
  service.child.kill('SIGTERM')
  await until(() => service.refusesConnections())
  assert.match(await call.finish(), /^HTTP\/1\.1 201 /)
  assert.equal((await stopped).code, 0)
})

test('a second signal ends the process at once', async t => {
  const service = await startServe(t)
  const key = await service.store.issueKey()
  await service.beginCreating(key)
  const stopped = service.stop('SIGTERM')
  await until(() => service.refusesConnections())
  const again = setInterval(() => service.child.kill('SIGTERM'), 100)
  t.after(() => clearInterval(again))
  assert.equal((await stopped).code, 1)
})

test('serve --demo gives an empty store animals, a key, and a line to paste that works as it is', async t => {
  const store = await makeStore(t)
  const first = await startServe(t, {}, { store, demo: true })
  assert.match(first.stdout, new RegExp(`^ +Base URL +${first.url}/v1$`, 'm'))
  assert.match(first.stdout, new RegExp(`^ +Docs +${first.url}/docs$`, 'm'))
  const curl = first.stdout.match(/^ +curl -H 'Authorization: Bearer (\S+)' '(\S+)'$/m)
  const [, key = '', url = ''] = curl ?? []
  assert.equal(url, `${first.url}/v1/pets?limit=3`)
  const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  assert.equal(((await answer.json()) as unknown[]).length, 3)

  const text = await (
    await fetch(`${first.url}/v1/pets?limit=100`, { headers: { authorization: `Bearer ${key}` } })
  ).text()
  const pets: { name: string; status: string }[] = JSON.parse(text)
  assert.ok(pets.length >= 60)
  assert.deepEqual(new Set(pets.map(pet => pet.status)), new Set(['available', 'pending', 'sold']))
  assert.ok(
    pets.some(pet => /[^ -~]/.test(pet.name)),
    'names beyond ASCII',
  )
  assert.ok(text.includes('"categoryId":9007199254740993'), 'an id beyond 2^53, digit for digit')
  for (const line of first.stderr.trimEnd().split('\n')) JSON.parse(line)
  await first.stop('SIGTERM')

  const [account] = await store.json('account', 'list')
  assert.deepEqual([account.name, account.plan], ['demo', 'business'])
  const second = await startServe(t, {}, { store, demo: true })
  const again = await fetch(`${second.url}/v1/pets?limit=100`, { headers: { authorization: `Bearer ${key}` } })
  assert.equal(await again.text(), text, 'a store with animals is left as it is')
  const keys: { name: string; createdAt: string; expiresAt: string }[] = await store.json('key', 'list', 'demo')
  assert.equal(keys.length, 2, 'each start issues a key')
  for (const { name, createdAt, expiresAt } of keys) {
    assert.deepEqual([name, Date.parse(expiresAt) - Date.parse(createdAt)], ['demo', 7 * DAY_MS])
  }
})

interface Ending {
  code: number
  stdout: string
  stderr: string
}

/** Runs one command line to its end, without any setting but these. */
async function petstore(args: readonly string[], env: Record<string, string> = {}): Promise<Ending> {
  const { promise, resolve } = Promise.withResolvers<Ending>()
  execFile(
    process.execPath,
    [PROGRAM, ...args],
    { env: environment(env), timeout: 60_000 },
    (error, stdout, stderr) => {
      resolve({ code: error ? (typeof error.code === 'number' ? error.code : -1) : 0, stdout, stderr })
    },
  )
  return promise
}

function environment(env: Record<string, string>): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(PETSTORE_|NODE_)/.test(name))
  return { ...Object.fromEntries(inherited), ...env }
}

interface TestStore {
  folder: string
  env: Record<string, string>
  run(...args: string[]): Promise<Ending>
  /** What a command that must succeed prints. */
  text(...args: string[]): Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: each test says by its assertions what it expects
  json(...args: string[]): Promise<any>
  /** Makes an account "acme" and a key of it, without a command. */
  issueKey(): Promise<string>
  with(settings: Record<string, string>): TestStore
}

async function makeStore(t: Cleanup, settings: Record<string, string> = {}): Promise<TestStore> {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-test-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return openTestStore(folder, { ...settings, PETSTORE_DATA: folder })
}

function openTestStore(folder: string, env: Record<string, string>): TestStore {
  const run = (...args: string[]) => petstore(args, env)
  const text = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args)
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' }, args.join(' '))
    return stdout
  }
  return {
    folder,
    env,
    run,
    text,
    json: async (...args) => JSON.parse(await text(...args, '--json')),
    async issueKey() {
      const config = parseConfig(env)
      const store = await openStore(config)
      await createAccount(store, { name: 'acme', plan: 'free', limits: {} }, Date.now())
      const { key } = await issueKey(store, config.deployment, { account: 'acme' }, Date.now())
      await store.close()
      return key
    },
    with: settings => openTestStore(folder, { ...env, ...settings }),
  }
}

interface Cleanup {
  after(end: () => unknown): void
}

interface Serving {
  url: string
  store: TestStore
  child: ChildProcess
  stdout: string
  stderr: string
  statusOf(key: string): Promise<number>
  codeOf(key: string): Promise<string | undefined>
  /** Sends all of a creation but its last byte. */
  beginCreating(key: string): Promise<{ finish(): Promise<string> }>
  refusesConnections(): Promise<boolean>
  stop(signal: NodeJS.Signals): Promise<{ code: number | null; stderr: string }>
}

/** Starts `petstore serve` on a free port; it ends with the test. */
async function startServe(
  t: Cleanup,
  settings: Record<string, string> = {},
  { store, demo = false }: { store?: TestStore; demo?: boolean } = {},
): Promise<Serving> {
  const own = store ?? (await makeStore(t))
  const env = { PETSTORE_PORT: '0', ...own.env, ...settings }
  const child = spawn(process.execPath, [PROGRAM, 'serve', ...(demo ? ['--demo'] : [])], {
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close') as Promise<[number | null]>
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const call = (key: string) => fetch(`${serving.url}/v1/pets`, { headers: { authorization: `Bearer ${key}` } })
  const serving: Serving = {
    url: '',
    store: own,
    child,
    stdout: '',
    stderr: '',
    statusOf: async key => (await call(key)).status,
    codeOf: async key => ((await (await call(key)).json()) as { code?: string }).code,
    beginCreating: key => beginCreating(t, serving.url, key),
    refusesConnections: () => refusesConnections(serving.url),
    async stop(signal) {
      child.kill(signal)
      const [code] = await ended
      return { code, stderr: serving.stderr }
    },
  }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    serving.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    serving.stderr += text
  })
  await until(() => {
    assert.equal(child.exitCode, null, serving.stderr)
    serving.url = /"url":"([^"]+)"/.exec(serving.stdout + serving.stderr)?.[1] ?? ''
    return serving.url !== '' && (!demo || /curl .*\n/.test(serving.stdout))
  })
  return serving
}

async function beginCreating(t: Cleanup, url: string, key: string): Promise<{ finish(): Promise<string> }> {
  const { port, hostname, host } = new URL(url)
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  t.after(() => socket.destroy())
  let answer = ''
  socket.on('data', text => {
    answer += text
  })
  socket.on('error', () => {})
  const closed = once(socket, 'close')
  const body = '{"name":"Rex","categoryId":1}'
  const head = [
    'POST /v1/pets HTTP/1.1',
    `Host: ${host}`,
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Expect: 100-continue',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  // The service asks for the body: it has begun to carry out the call.
  await until(() => answer.startsWith('HTTP/1.1 100 '))
  answer = ''
  socket.write(body.slice(0, -1))
  return {
    async finish() {
      socket.write(body.slice(-1))
      await until(() => answer !== '')
      await closed
      return answer.trimStart()
    },
  }
}

async function refusesConnections(url: string): Promise<boolean> {
  const { port, hostname } = new URL(url)
  const socket = connect(Number(port), hostname)
  try {
    await once(socket, 'connect')
    return false
  } catch {
    return true
  } finally {
    socket.destroy()
  }
}

/** Waits until it is so, for half a minute at most. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 30_000
  while (!(await isSo())) {
    assert.ok(performance.now() < deadline, 'waited in vain')
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

function assertMistake({ code, stdout, stderr }: Ending, message: RegExp): void {
  assert.deepEqual({ code, stdout }, { code: 1, stdout: '' }, stderr)
  assert.match(stderr, /^error: [^\n]+\n$/)
  assert.match(stderr.trimEnd(), message)
}

/** That a text is an ISO time, not a minute away from `time`. */
function assertTime(text: string, time: number, message = text): void {
  assert.equal(new Date(text).toISOString(), text)
  assert.ok(Math.abs(Date.parse(text) - time) < 60_000, message)
}

function withoutKey({ key: _, ...rest }: Record<string, unknown>): Record<string, unknown> {
  return rest
}
