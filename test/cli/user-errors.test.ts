import assert from 'node:assert/strict'
import { chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { createToken } from '../../src/domain/administration/tokens.ts'
import {
  assertUsageError,
  assertUserError,
  type Ending,
  makeStore,
  PROGRAM,
  petstore,
  runCommand,
  startServe,
} from '../support/command-line.ts'
import { temporaryFolder } from '../support/folder.ts'

test('a mistake in the command line is one line on standard error, nothing on standard output, and exit code 2', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  const cases: readonly (readonly [command: string, message: RegExp])[] = [
    ['account create 12 --plan pro', /must not be a number/],
    ['account create zoo --plan gold', /no plan "gold"/],
    ['account create zoo --plan enterprise --per-minute 5', /both limits: --per-minute and --per-day/],
    ['account create zoo --plan pro --per-minute 5', /fixed limits/],
    ['account create zoo --plan enterprise --per-minute 1.5 --per-day 5', /whole number/],
    ['account create zoo', /--plan .* see "petstore account create --help"/],
    ['account create zoo bar --plan pro', /too many arguments/],
    ['account rename acme', /missing required argument 'name'/],
    ['account rename acme 12', /must not be a number/],
    ['account remove acme', /unknown command/],
    ['usage --days 0', /from 1 to 36,500/],
    ['usage --days 7 --from 2027-01-01', /cannot be used with/],
    ['usage --from 2027-02-30', /--from must be a UTC day such as/],
    ['usage --to yesterday', /--to must be a UTC day such as/],
    ['usage --from 2027-01-02 --to 2027-01-01', /--from must not be later than --to\.$/],
    ['usage --from 2999-01-01', /--from must not be later than today\.$/],
    ['usage --by day,week', /--by must be .* day, hour, account, key, operation, status/],
    ['usage --hours 841', /from 1 to 840/],
    ['usage --hours 5 --days 3', /cannot be used with/],
    ['usage --deprecated --by day', /cannot be used with/],
    ['usage acme --deprecated', /leave out the account/],
    ['audit --action key.lost', /key\.revoke/],
    ['audit --before x', /whole number/],
    ['audit --export csv --json', /cannot be used with/],
    ['audit --export csv --limit 5', /cannot be used with/],
    ['account lits', /Did you mean list\?/],
    ['key create acme --expires 2020-01-01', /future/],
    ['key create acme --expires 2090-02-30', /It must be .* a date such as/],
    ['key create acme --expires 2090-01-01T12:00', /zone/],
    ['key rotate 1 --overlap -1', /number of seconds/],
    ['key rotate 1 --overlap 99999999', /up to one year/],
    ['ban lift', /key-id/],
    ['bann list', /Did you mean ban\?/],
    ['help nonsense', /no command "nonsense"; see "petstore --help"/],
    ['help pet nonsense', /no command "nonsense"; see "petstore pet --help"/],
    ['pet help nonsense', /no command "nonsense"; see "petstore pet --help"/],
    ['help pet import now', /no command "now"; see "petstore pet import --help"/],
    ['serve --demmo', /Did you mean --demo\?/],
    ['pet import x.csv --column name=', /MEMBER=COLUMN; MEMBER must be one of id, name, /],
    ['backup ', /^error: value '' is invalid for argument 'file'\. It must be the name of a file;/],
    ...['restore ', 'pet import ', 'pet sync  --source s', 'pet export ', 'pet import x.csv --bad-lines '].map(
      command => [command, /'' is invalid.* It must be the name of a file;/] as const,
    ),
  ]
  const endings = await store.runEach(cases.map(([command]) => command.split(' ')))
  for (const [index, [, message]] of cases.entries()) assertUsageError(endings[index], message)
  assertUsageError(await petstore(['account', 'lits']), /^error: /)
  assert.equal((await store.json('account', 'list')).length, 1, 'nothing was created')
})

test('a command that cannot be carried out is one line on standard error, nothing on standard output, and exit code 1', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  const cases: readonly (readonly [command: string, message: RegExp])[] = [
    ['account create acme --plan pro', /already/],
    ['pet import x.csv --column name=a=b', /There is no file x\.csv/],
    ['account set-plan nobody --plan pro', /no account "nobody"/],
    ['account rename nobody zoo', /no account "nobody"/],
    ['account suspend nobody', /no account "nobody"/],
    ['account resume acme', /not suspended/],
    ['account delete nobody --yes', /no account "nobody"/],
    ['usage nobody', /no account "nobody"/],
    ['audit --account nobody', /no account "nobody"/],
    ['key rotate 99', /no key with id "99"/],
    ['key revoke acme', /no key with id "acme"/],
    ['ban lift 1', /not banned/],
  ]
  const endings = await store.runEach(cases.map(([command]) => command.split(' ')))
  for (const [index, [, message]] of cases.entries()) assertUserError(endings[index], message)
  for (const command of ['account create acme --plan pro --json', 'ban lift 1 --json']) {
    assertUserError(await store.run(...command.split(' ')), /^error: /)
  }
  assert.equal((await store.json('account', 'list')).length, 1, 'nothing was created')
})

test('a group without its command prints its help to standard error, with exit code 2', async () => {
  for (const [args, usage] of [
    [[], 'petstore'],
    [['key'], 'petstore key'],
  ] as const) {
    const { code, stdout, stderr } = await petstore(args)
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' })
    assert.match(stderr, new RegExp(`^Usage: ${usage} `))
  }
})

test('a secret typed in the wrong place is not repeated, and repeated text cannot control a terminal', async t => {
  const store = await makeStore(t)
  const key = await store.issueKey()
  const { token } = await store.act(context => createToken(context, { name: 'Anna', role: 'admin' }))
  for (const secret of [key, token]) {
    const places = [['key', 'revoke', secret], ['account', 'suspend', secret], [secret], ['pet', 'show', secret]]
    for (const { code, stdout, stderr } of await store.runEach(places)) {
      assert.ok(code > 0)
      assert.equal(stdout, '')
      assert.match(stderr, /^error: /)
      assert.ok(!stderr.includes(secret.slice(-10)), stderr)
    }
  }
  const places = [['key', 'revoke'], ['account', 'suspend'], []]
  const endings = await store.runEach(places.map(args => [...args, '\u001b[2J\u009bx\r\u202e']))
  for (const [index, ending] of endings.entries()) {
    assertUserError(ending, /\\u\{1b\}\[2J\\u\{9b\}x\\u\{d\}\\u\{202e\}/, index === 2 ? 2 : 1)
  }
})

test('the password in a URL is not repeated, wherever it was typed', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  const urls = [
    'postgres://me:geheim@db/pets',
    'rediss://:a@geheim@cache',
    'postgres://db/pets?password=geheim&a=b',
    'redis://a?sentinel=b&sentinelPassword=geheim',
  ]
  const places = urls.flatMap(url => [[url], ['usage', url], ['pet', 'show', url], ['pet', 'list', '--limit', url]])
  for (const { code, stdout, stderr } of await store.runEach(places)) {
    assert.ok(code > 0)
    assert.equal(stdout, '')
    assert.match(stderr, /^error: .*…/)
    assert.doesNotMatch(stderr, /geheim/)
  }
})

test('invalid settings are reported all at once, one per line', async () => {
  const { code, stdout, stderr } = await petstore(['account', 'list'], {
    PETSTORE_PORT: 'http',
    PETSTORE_DATABASE_URL: 'mysql://me:secret@localhost/pets',
  })
  assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
  assert.match(
    stderr,
    /^error: PETSTORE_PORT must .*\nerror: PETSTORE_DATABASE_URL must be a URL such as postgres:\/\/.*\n$/,
  )
  assert.doesNotMatch(stderr, /secret/)
})

test('a store that cannot be used is reported in one line', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  assertUserError(await store.with({ PETSTORE_DEPLOYMENT: 'staging' }).run('account', 'list'), /belongs to production/)
  const create = ['account', 'create', 'acme', '--plan', 'free']
  assertUserError(await petstore(create, { PETSTORE_DATA: join(PROGRAM, 'data') }), /cannot be written/)
  if (process.getuid?.() !== 0) {
    await chmod(store.folder, 0o500)
    assertUserError(await store.run('account', 'list'), /cannot be written/)
    await chmod(store.folder, 0o700)
  }
  const [file] = (await readdir(store.folder)).filter(name => name.endsWith('.db'))
  const database = new DatabaseSync(join(store.folder, file ?? ''))
  database.exec('PRAGMA user_version = 999')
  database.close()
  assertUserError(await store.run('account', 'list'), /newer/)
})

test('a path of the wrong kind is reported in words, without the code of the operating system', async t => {
  const store = await makeStore(t)
  await store.issueKey()
  const at = (...names: string[]) => join(store.folder, 'odd', ...names)
  await mkdir(at('folder', 'petstore.db'), { recursive: true })
  await mkdir(at('damaged'))
  await mkdir(at('empty'))
  await writeFile(at('file'), 'no store')
  await writeFile(at('damaged', 'petstore.db'), 'no store'.repeat(1_000))
  await writeFile(at('empty', 'petstore.db'), '')
  await symlink('loop', at('loop'))
  const listener = createServer().listen(at('socket'))
  t.after(() => listener.close())
  const long = at('x'.repeat(300))
  const commands = [
    ['account', 'list'],
    ['account', 'create', 'x', '--plan', 'free'],
    ['pet', 'import', at('socket'), '--format', 'csv'],
    ['pet', 'export', at('out.csv')],
    ['backup', at('copy.db')],
  ]
  const folders = [
    at('file'),
    at('file', 'below'),
    at('folder'),
    at('damaged'),
    at('empty'),
    at('loop'),
    long,
    '/dev/null',
  ]
  for (const folder of folders) {
    const elsewhere = store.with({ PETSTORE_DATA: folder })
    for (const ending of await elsewhere.runEach(commands)) assertInWords(ending)
  }
  for (const file of [
    at('none', 'x.csv'),
    at('folder'),
    at('file', 'x.csv'),
    at('loop'),
    `${long}.csv`,
    at('socket'),
  ]) {
    const endings = await store.runEach([
      ['pet', 'import', file, '--format', 'csv'],
      ['pet', 'export', file, '--format', 'csv', '--force'],
      ['backup', file, '--force'],
      ['restore', file, '--force'],
    ])
    for (const ending of endings) assertInWords(ending)
  }
})

test('a file that cannot be read does not hide why the store cannot be opened', async t => {
  const { folder } = await makeStore(t)
  const socket = join(folder, 'socket')
  const listener = createServer().listen(socket)
  t.after(() => listener.close())
  await writeFile(join(folder, 'petstore.db'), 'no store'.repeat(1_000))
  const ending = await petstore(['pet', 'import', socket, '--format', 'csv'], { PETSTORE_DATA: folder })
  assertUserError(ending, /petstore\.db is not a Petstore store\.$/)
})

function assertInWords(ending: Ending): void {
  assertUserError(ending, /^error: /)
  assert.doesNotMatch(ending.stderr, /\bE[A-Z]{3,}\b/)
}

test('an address that cannot be used is reported in one line', async t => {
  const first = await startServe(t)
  const { port } = new URL(first.url)
  const second = await makeStore(t, { PETSTORE_PORT: port, PETSTORE_OPERATOR_PORT: '0' })
  assertUserError(
    await second.run('serve'),
    new RegExp(`^error: Port ${port} on 127\\.0\\.0\\.1 is already in use; set PETSTORE_PORT to a free one\\.$`),
  )
  const { port: operatorPort } = new URL(first.operatorUrl)
  const third = second.with({ PETSTORE_PORT: '0', PETSTORE_OPERATOR_PORT: operatorPort })
  assertUserError(
    await third.run('serve'),
    new RegExp(
      `^error: Port ${operatorPort} on 127\\.0\\.0\\.1 is already in use; set PETSTORE_OPERATOR_PORT to a free one\\.$`,
    ),
  )
  const PETSTORE_PRODUCTION_URL = 'https://api.example.com/v1'
  const elsewhere = second.with({ PETSTORE_HOST: '192.0.2.1', PETSTORE_PRODUCTION_URL })
  assertUserError(await elsewhere.run('serve'), /Cannot listen on 192\.0\.2\.1 .*set PETSTORE_HOST/)
  const nowhere = second.with({ PETSTORE_HOST: 'no-such-host.invalid', PETSTORE_PRODUCTION_URL })
  assertUserError(await nowhere.run('serve'), /set PETSTORE_HOST/)
})

test('a service that listens beyond the loopback without a public address does not start, and creates nothing', async t => {
  for (const host of ['0.0.0.0', '::', '192.0.2.1']) {
    const message = new RegExp(`^error: PETSTORE_HOST=${host} needs PETSTORE_PRODUCTION_URL, .*\\.$`)
    const folder = await temporaryFolder(t)
    const env = {
      PETSTORE_HOST: host,
      PETSTORE_PORT: '0',
      PETSTORE_OPERATOR_PORT: '0',
      PETSTORE_DATA: join(folder, 'data'),
    }
    for (const args of [['serve'], ['serve', '--demo']]) assertUserError(await runCommand(args, env), message)
    assert.deepEqual(await readdir(folder), [])
  }
  const store = await makeStore(t, { PETSTORE_HOST: '0.0.0.0' })
  await store.issueKey()
  assertUserError(await store.run('claim-link', 'create', 'acme'), /^error: PETSTORE_HOST=0\.0\.0\.0 needs /)
  assert.deepEqual(await store.json('claim-link', 'list'), [])
  assert.equal((await store.json('account', 'list')).length, 1, 'commands that print no address work')
})

test('on all addresses, responses use the public address, and what is printed works on this machine', async t => {
  const PETSTORE_PRODUCTION_URL = 'https://api.example.com/v1'
  for (const host of ['0.0.0.0', '::', '::ffff:0.0.0.0']) {
    const service = await startServe(t, { PETSTORE_HOST: host, PETSTORE_OPERATOR_HOST: host, PETSTORE_PRODUCTION_URL })
    for (const url of [service.url, service.operatorUrl]) assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/)
    const { servers } = await (await fetch(`${service.url}/openapi.json`)).json()
    assert.equal(servers[0].url, PETSTORE_PRODUCTION_URL)
    assert.equal((await fetch(`${service.operatorUrl}/livez`)).status, 200)
  }
})
