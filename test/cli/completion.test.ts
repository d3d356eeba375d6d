import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { quoteForBash, readBashWords } from '../../src/cli/completion/bash-words.ts'
import { createAccount, suspendAccount } from '../../src/domain/administration/accounts.ts'
import { labelCategory } from '../../src/domain/administration/categories.ts'
import { createClaimLink, revokeClaimLink } from '../../src/domain/administration/claim-links.ts'
import { issueKey, revokeKey } from '../../src/domain/administration/keys.ts'
import { addPet } from '../../src/domain/administration/pets.ts'
import { createSource } from '../../src/domain/administration/sources.ts'
import { createToken, revokeToken } from '../../src/domain/administration/tokens.ts'
import {
  assertUsageError,
  type Ending,
  makeStore,
  petstore,
  runCommand,
  type TestStore,
} from '../support/command-line.ts'

const HOUR_MS = 3_600_000

test('commands, options and values are completed', async t => {
  const store = await makeNamedStore(t)
  const cases: readonly (readonly [words: readonly string[], values: readonly string[]])[] = [
    [['a'], ['account', 'audit']],
    [
      ['account', 're'],
      ['rename', 'resume'],
    ],
    [['nothing', ''], []],
    [['help', 'pet', 'ex'], ['export']],
    [['pet', 'help', 'ex'], ['export']],
    [
      ['account', 'create', 'x', '--plan', ''],
      ['free', 'pro', 'business', 'enterprise'],
    ],
    [['account', 'create', 'x', '--plan=b'], ['--plan=business']],
    [
      ['account', 'list', '--state', ''],
      ['active', 'suspended'],
    ],
    [['account', 'list', '--name', ''], []],
    [['token', 'create', 'x', '--role', 's'], ['staff']],
    [
      ['pet', 'list', '--status', ''],
      ['available', 'pending', 'sold'],
    ],
    [
      ['usage', '--by', ''],
      ['day', 'hour', 'account', 'key', 'operation', 'status'],
    ],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['pet', 'import', ''], [':files']],
    [['restore', ''], [':files']],
    [
      ['key', 'create', 'acme', '--'],
      ['--name', '--expires', '--scope', '--networks', '--json', '--help'],
    ],
    [
      ['key', 'create', 'acme', '--name', 'x', '--json', '--'],
      ['--expires', '--scope', '--networks', '--help'],
    ],
    [['key', 'create', 'acme', '--', '--'], []],
    [
      ['key', 'create', ''],
      ['acme', 'Corner Shop', 'gone', 'O’Malley'],
    ],
    [['key', 'create', 'corner'], ['Corner Shop']],
    [['key', 'create', "o'm"], ['O’Malley']],
    [['key', 'create', 'acme', ''], []],
    [['usage', '--days', '7', 'a'], ['acme']],
    [['audit', '--account', 'a'], ['acme']],
    [
      ['account', 'suspend', ''],
      ['acme', 'Corner Shop', 'O’Malley'],
    ],
    [['account', 'resume', ''], ['gone']],
    [
      ['key', 'revoke', ''],
      ['1', '3'],
    ],
    [
      ['key', 'change', ''],
      ['1', '3'],
    ],
    [
      ['key', 'change', '1', '--scope', ''],
      ['read', 'read-write'],
    ],
    [['key', 'change', '1', '--networks', ''], []],
    [['ban', 'lift', ''], ['3']],
    [['ban', 'lift', '3', '--source', ''], ['192.0.2.7']],
    [['token', 'create', 'Ben', '--source', ''], ['riverside']],
    [['token', 'revoke', ''], ['1']],
    [['claim-link', 'revoke', ''], ['2']],
    [['category', 'unlabel', ''], ['7']],
    [
      ['category', 'label', ''],
      ['7', '8'],
    ],
    [
      ['key', 'change', '1', '--scope=read', '--n'],
      ['--name', '--no-name', '--networks'],
    ],
    [['help', 'h'], []],
  ]
  const endings = await store.runEach(cases.map(([words]) => ['__complete', 'fish', ...words]))
  for (const [index, [words, values]] of cases.entries()) {
    assert.deepEqual(valuesIn(endings[index]), values, words.join(' '))
  }
})

test('candidates are described, and nothing of them can control a terminal', async t => {
  const store = await makeNamedStore(t)
  const stdout = await store.text('__complete', 'fish', 'key', 'revoke', '')
  assert.match(stdout, /^1\tacme, till, ends in \w{4}\n3\tCorner Shop, ends in \w{4}\n$/)
  const database = new DatabaseSync(join(store.folder, 'petstore.db'))
  database.exec(`UPDATE account SET name = char(27) || '[2Jacme' WHERE id = 1`)
  database.close()
  assert.deepEqual(await complete(store, ['key', 'create', '']), ['Corner Shop', 'gone', 'O’Malley'])
  assert.ok(!(await store.text('__complete', 'zsh', 'key', 'revoke', '')).includes('\u001b'))
})

test('a name that would be read as an option is offered as its id', async t => {
  const store = await makeStore(t)
  await store.act(async context => {
    for (const name of ['acme', '--yes']) await createAccount(context, { name, plan: 'free', limits: {} })
  })
  assert.deepEqual(await complete(store, ['account', 'delete', '']), ['acme', '2'])
  assert.deepEqual(await complete(store, ['audit', '--account', '']), ['acme', '2'])
  assert.deepEqual(await complete(store, ['audit', '--account=']), ['--account=acme', '--account=--yes'])
  assert.deepEqual(await complete(store, ['account', 'delete', '--', '']), ['acme', '--yes'])
  assert.deepEqual(await complete(store, ['account', 'delete', '--', '--y']), ['--yes'])
  assert.equal(await store.text('__complete', 'fish', 'account', 'delete', '2'), '2\t--yes, account 2, free\n')
})

test('completion neither creates nor upgrades a store, and never fails', async t => {
  const store = await makeStore(t)
  const missing = store.with({ PETSTORE_DATA: join(store.folder, 'missing') })
  const create = ['key', 'create', '']
  assert.deepEqual(await complete(missing, create), [])
  assert.ok(!existsSync(join(store.folder, 'missing')))
  for (const settings of [
    { PETSTORE_PORT: 'http' },
    { PETSTORE_DATABASE_URL: 'postgres://me:geheim@127.0.0.1:1/pets' },
  ]) {
    assert.deepEqual(await complete(store.with(settings), create), [])
    assert.deepEqual(await complete(store.with(settings), ['account', 'rena']), ['rename'])
  }

  await store.issueKey()
  const database = new DatabaseSync(join(store.folder, 'petstore.db'))
  t.after(() => database.close())
  const version = () => database.prepare('PRAGMA user_version').get()?.user_version as number
  const before = version() - 1
  database.exec(`PRAGMA user_version = ${before}`)
  assert.deepEqual(await complete(store, create), [])
  assert.equal(version(), before)
})

test('a script is for the name of the program', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { stdout } = await petstore(['completion', shell], { PETSTORE_COMMAND: 'petstore-staging' })
    assert.match(stdout, /\bpetstore-staging\b/)
    assert.match(stdout, /_petstore_staging/)
  }
  const { stdout } = await petstore(['completion', 'bash'], { PETSTORE_COMMAND: '../Pet Shop/petstore' })
  assert.match(stdout, /^complete -F _petstore petstore$/m)
  assertUsageError(await runCommand(['completion', 'tcsh']), /Allowed choices are bash, zsh, fish/)
})

test('bash passes words with their quotes, and gets values the way they must be typed', () => {
  const words: readonly (readonly [typed: string, read: string])[] = [
    ['plain', 'plain'],
    ['Corner\\ Sh', 'Corner Sh'],
    ['"Corner Sh', 'Corner Sh'],
    ["'Corner Sh", 'Corner Sh'],
    ['"a \\"b\\" \\$c \\d"', 'a "b" $c \\d'],
    ["'it'\\''s'", "it's"],
    ['end\\', 'end'],
    ['', ''],
  ]
  for (const [typed, read] of words) assert.deepEqual(readBashWords([typed]), [read])
  assert.deepEqual(readBashWords(['x', '--plan', '=', 'pr']), ['x', '--plan=pr'])
  assert.deepEqual(readBashWords(['x', '--plan', '=']), ['x', '--plan='])
  assert.deepEqual(readBashWords(['x', '=', 'y']), ['x', '=', 'y'])
  for (const value of ['Corner Shop', `it's "5*" $HOME \`x\` !1 \\ a:b=c`, 'Zoë 日本', '~root', '#1']) {
    for (const open of ['', '"', "'"]) {
      assert.deepEqual(readBashWords([quoteForBash(value, open)]), [value])
    }
  }
})

/** The offered values, without their descriptions. */
async function complete(store: TestStore, words: readonly string[]): Promise<string[]> {
  return valuesIn(await store.run('__complete', 'fish', ...words))
}

function valuesIn({ code, stdout, stderr }: Ending = { code: -1, stdout: '', stderr: '' }): string[] {
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
  return stdout.split('\n').flatMap(line => (line === '' ? [] : [line.split('\t')[0] ?? '']))
}

/** Three accounts, of which one is suspended, three keys, of which one is revoked and one is banned, and a token. */
async function makeNamedStore(t: Parameters<typeof makeStore>[0]): Promise<TestStore> {
  const store = await makeStore(t)
  await store.act(async context => {
    for (const name of ['acme', 'Corner Shop', 'gone', 'O’Malley']) {
      await createAccount(context, { name, plan: 'free', limits: {} })
    }
    await suspendAccount(context, 'gone')
    await issueKey(context, { account: 'acme', name: 'till' })
    await issueKey(context, { account: 'acme', name: 'old' })
    await revokeKey(context, '2')
    await issueKey(context, { account: 'Corner Shop' })
    const term = { source: '192.0.2.7', earnedIn: 'minute', startedAt: context.now, ordinal: 1 } as const
    await context.store.createBan(3n, { ...term, endsAt: context.now + HOUR_MS })
    await createToken(context, { name: 'Anna', role: 'staff' })
    await createToken(context, { name: 'Ben', role: 'staff' })
    await revokeToken(context, '2')
    for (let link = 1; link <= 2; link += 1) await createClaimLink(context, { account: 'acme', validForSeconds: 60 })
    await revokeClaimLink(context, '1')
    await labelCategory(context, '7', 'Dogs')
    await createSource(context, 'riverside', {})
    await addPet(context, { name: 'Rex', categoryId: 8n, status: 'available' })
    await context.store.createBan(1n, { ...term, endsAt: context.now })
  })
  return store
}
