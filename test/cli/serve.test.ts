import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '../../bench/program.ts'
import { GRACE_MS } from '../../src/domain/ban.ts'
import { assertTime, environment, makeStore, PROGRAM, startServe } from '../support/command-line.ts'
import { until } from '../support/eventually.ts'
import { lockWrites } from '../support/write-lock.ts'

const FULL = '/dev/full'

test('changes by a command apply from the next call of the running service on', async t => {
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
  // The time in which a refusal may be overlooked.
  await setTimeout(GRACE_MS)
  await until(async () => (await service.codeOf(key)) === 'api_key_banned')
  const [ban] = await store.json('ban', 'list')
  const { startedAt, endsAt, ...rest } = ban
  assert.deepEqual(rest, {
    id: 1,
    keyId: 1,
    accountId: 1,
    account: 'acme',
    keyName: null,
    source: '127.0.0.1',
    state: 'in-force',
    ordinal: 1,
    liftedAt: null,
  })
  assertTime(startedAt, bannedAfter)
  assert.equal(Date.parse(endsAt) - Date.parse(startedAt), 900_000)
  assert.match(await store.text('ban', 'list'), /^KEY ID .*\n1 {7}acme /)

  await store.text('account', 'set-plan', 'acme', ...own, '100')
  assert.equal(await service.codeOf(key), 'api_key_banned')
  const lifted = await store.json('ban', 'lift', '1')
  assertTime(lifted.liftedAt, bannedAfter)
  assert.deepEqual(lifted, { ...ban, state: 'lifted', liftedAt: lifted.liftedAt })
  assert.equal(await service.statusOf(key), 200, 'a lifted ban is over')
  assert.deepEqual(await store.json('ban', 'list'), [])
  assert.deepEqual(await store.json('ban', 'list', '--all', '--key', '1'), [lifted])
  assert.match(await store.text('ban', 'list', '--all'), /STATE\n1 {7}acme .* lifted\n$/)

  const successor = await store.json('key', 'rotate', '1')
  assert.deepEqual([await service.statusOf(key), await service.statusOf(successor.key)], [200, 200])
  await store.text('account', 'suspend', 'acme')
  assert.notEqual(await service.statusOf(key), 200, 'a suspended account is not let in')
  await store.text('account', 'resume', 'acme')
  assert.equal(await service.statusOf(key), 200)
  await store.text('key', 'revoke', '1')
  assert.deepEqual([await service.statusOf(key), await service.statusOf(successor.key)], [401, 200])
  const last = await store.json('key', 'rotate', '2', '--overlap', '0')
  assert.equal(await service.statusOf(successor.key), 401, 'a key rotated without overlap stops at once')
  await store.text('account', 'delete', 'acme', '--yes')
  assert.equal(await service.statusOf(last.key), 401, 'a deleted account has no keys')
})

test('with PETSTORE_LOG_FORMAT=text, serve writes its log for people', async t => {
  const service = await startServe(t, { PETSTORE_LOG_FORMAT: 'text' }, { demo: true })
  await service.statusOf('')
  await service.stop('SIGTERM')
  const [listening, call, stopped] = service.stderr.split('\n')
  assert.match(listening ?? '', /^\d\d:\d\d:\d\d {2}info {3}listening url=http:\/\/127/)
  assert.match(call ?? '', /^\d\d:\d\d:\d\d {2}401 {4}GET \/v1\/pets [\d.]+ ms code=/)
  assert.match(stopped ?? '', /^\d\d:\d\d:\d\d {2}info {3}stopped$/)
})

test('serve writes nothing but JSON lines to standard output, and warns of unknown settings there', async t => {
  const service = await startServe(t, { PETSTORE_PROT: '80' })
  assert.deepEqual(await service.stop('SIGTERM'), { code: 0, stderr: '' })
  const lines = service.stdout.trimEnd().split('\n')
  const messages = lines.map(line => JSON.parse(line).msg)
  assert.ok(messages.includes('unknown setting PETSTORE_PROT; did you mean PETSTORE_PORT?'))
})

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
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

test('a Ctrl-C that npm passes on again counts as one signal', async t => {
  const service = await startServe(t)
  const call = await service.beginCreating(await service.store.issueKey())
  const stopped = service.stop('SIGINT')
  service.child.kill('SIGTERM')
  await until(() => service.refusesConnections())
  assert.match(await call.finish(), /^HTTP\/1\.1 201 /)
  assert.equal((await stopped).code, 0)
})

test('a second signal ends the process immediately', async t => {
  const service = await startServe(t)
  const key = await service.store.issueKey()
  await service.beginCreating(key)
  const stopped = service.stop('SIGTERM')
  await until(() => service.refusesConnections())
  const again = setInterval(() => service.child.kill('SIGTERM'), 100)
  t.after(() => clearInterval(again))
  assert.equal((await stopped).code, 1)
})

test('calls are logged even if nothing reads the log for a while, and lines that were dropped are counted', async t => {
  const service = await startServe(t)
  const key = await service.store.issueKey()
  const { stdout } = service.child
  assert.ok(stdout)
  stdout.pause()
  await makeCalls(service, key)
  const scrape = await (await fetch(`${service.operatorUrl}/metrics`)).text()
  assert.match(scrape, /^petstore_log_lines_dropped_total 0$/m)
  stdout.resume()
  // A stopped service waits only for a reader that goes on.
  await until(() => service.stdout.match(/"msg":"call"/g)?.length === CALLS)
})

test('a service keeps serving if neither its log nor an error can be written', {
  skip: !existsSync(FULL) && `no ${FULL}`,
}, async t => {
  const [port, operatorPort] = [String(await freePort()), String(await freePort())]
  const { env } = await makeStore(t, { PETSTORE_PORT: port, PETSTORE_OPERATOR_PORT: operatorPort })
  const full = openSync(FULL, 'w')
  const child = spawn(process.execPath, [PROGRAM, 'serve'], {
    env: environment(env),
    stdio: ['ignore', full, full],
  })
  closeSync(full)
  const ended = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const dropped = async () => {
    const scrape = await fetch(`http://127.0.0.1:${operatorPort}/metrics`).then(answer => answer.text())
    return Number(/^petstore_log_lines_dropped_total (\d+)$/m.exec(scrape)?.[1])
  }
  // The first call is logged, too, and dropped before the second one arrives.
  await until(async () => {
    assert.equal(child.exitCode, null)
    return (await dropped().catch(() => 0)) > 1
  })
})

for (const [what, code] of [
  ['that has closed', 0],
  ['that cannot save its counts because its store is gone', 1],
] as const) {
  test(`a service ${what} ends even if nothing reads its log`, async t => {
    const service = await startServe(t)
    const key = await service.store.issueKey()
    service.child.stdout?.pause()
    // Otherwise, the counts could be saved just before the store is gone.
    const release = await lockWrites(service.store.folder)
    await makeCalls(service, key)
    if (code === 1) await rm(service.store.folder, { recursive: true })
    await release()
    const exited = once(service.child, 'exit')
    service.child.kill('SIGTERM')
    assert.equal((await exited)[0], code)
  })
}

/** Their log lines are long, so that they take more room than a pipe has. */
const CALLS = 900

async function makeCalls({ url }: { url: string }, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'x-request-id': 'x'.repeat(128) }
  for (let first = 0; first < CALLS; first += 100) {
    const paths = Array.from({ length: 100 }, (_, index) => `/v1/${'x.'.repeat(90)}${first + index}`)
    await Promise.all(paths.map(path => fetch(url + path, { headers })))
  }
}
