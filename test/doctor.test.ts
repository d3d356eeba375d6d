import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chownSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { chmod, copyFile, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { runChecks } from '../src/app/checks/checks.ts'
import { checkClock } from '../src/app/checks/clock.ts'
import { judgeSpace } from '../src/app/checks/disk.ts'
import { examine as examineAll } from '../src/app/checks/examine.ts'
import { parseConfig } from '../src/app/config.ts'
import type { Finding } from '../src/schema/responses/service.ts'
import { databaseFile } from '../src/sqlite/data-folder/store-files.ts'
import { lockForServing } from '../src/sqlite/serving-lock.ts'
import { SqliteStore } from '../src/sqlite/store.ts'
import { type Ending, PROGRAM, runCommand } from './support/command-line.ts'
import { execute, scribble } from './support/database.ts'
import { folderOnDisk, temporaryFolder } from './support/folder.ts'
import { serve } from './support/store-commands.ts'
import { lockWrites } from './support/write-lock.ts'

const PUBLIC_URL = { PETSTORE_PRODUCTION_URL: 'https://api.example.com/v1' }

test('on a healthy installation every check is ok, and the exit code is 0', async t => {
  const folder = await makeStore(await temporaryFolder(t))
  const { code, findings } = await examineByCommand(folder, { TMPDIR: await folderOnDisk(t) })
  assert.equal(code, 0)
  const outcomes = findings.map(({ check, outcome }) => `${check} ${outcome}`)
  const checks = ['settings', 'temporary files', 'folder', 'store', 'writing', 'disk', 'service', 'index', 'versions']
  assert.deepEqual(outcomes, [...checks.map(check => `${check} ok`), 'tokens warn', 'clock ok'])
  for (const { message } of findings) assert.match(message, /^[A-Z/].*\w.*$/)
  const { stdout } = await runCommand(['doctor'], { ...PUBLIC_URL, PETSTORE_DATA: folder })
  assert.match(stdout, /^CHECK +RESULT +FINDING\nsettings +ok /)
  assert.match(stdout, /\n\nNo check failed\.\n$/)
})

test('a check that fails makes the exit code 1', async t => {
  const folder = await makeStore(await temporaryFolder(t))
  const { code, stdout } = await runCommand(['doctor'], { PETSTORE_DATA: folder, PETSTORE_PORT: 'x' })
  assert.equal(code, 1)
  assert.match(stdout, /1 check failed/)
})

test('a folder for temporary files that is in memory or missing is a warning', {
  skip: process.platform !== 'linux',
}, async t => {
  const folder = await makeStore(await temporaryFolder(t))
  const found = async (temporary: string) =>
    (await examineByCommand(folder, { TMPDIR: temporary })).findings.find(({ check }) => check === 'temporary files')
  assert.equal((await found(await folderOnDisk(t)))?.outcome, 'ok')
  const inMemory = await found('/dev/shm')
  assert.equal(inMemory?.outcome, 'warn')
  assert.match(inMemory?.message ?? '', /in \/dev\/shm, which is in memory: .* Set TMPDIR to a folder on a disk\.$/)
  const missing = await found(`${folder}/missing`)
  assert.deepEqual([missing?.outcome, missing?.message.endsWith('set TMPDIR to another one.')], ['warn', true])
})

test('every invalid setting is a failure, and every unknown one a warning', async t => {
  const folder = await makeStore(await temporaryFolder(t))
  const settings = { PETSTORE_PORT: 'x', PETSTORE_LOG_LEVEL: 'loud', PETSTORE_DAAT: 'slip' }
  const { code, findings } = await examineByCommand(folder, settings)
  assert.equal(code, 1)
  assert.equal(outcomeOf({ code, findings }, 'store'), 'ok', 'the store is examined all the same')
  const found = findings.filter(({ check }) => check === 'settings')
  assert.deepEqual(
    found.map(({ outcome, message }) => [outcome, /PETSTORE_\w+/.exec(message)?.[0]]),
    [
      ['fail', 'PETSTORE_PORT'],
      ['fail', 'PETSTORE_LOG_LEVEL'],
      ['warn', 'PETSTORE_DAAT'],
    ],
  )
})

test('an address that callers cannot reach, and the same one for both deployments, are warnings', async t => {
  const folder = await temporaryFolder(t)
  const found = async (settings: Record<string, string>) => {
    const { findings } = await examine(folder, settings)
    return findings.flatMap(({ check, outcome, message }) => (check === 'settings' ? [`${outcome}: ${message}`] : []))
  }
  for (const host of ['0.0.0.0', '[::]']) {
    const message = `warn: PETSTORE_PRODUCTION_URL has the host ${host}, which other machines cannot reach.`
    assert.deepEqual(await found({ PETSTORE_PRODUCTION_URL: `http://${host}:8080/v1` }), [message])
  }
  assert.deepEqual(await found({ ...PUBLIC_URL, PETSTORE_STAGING_URL: 'HTTPS://API.example.com:443/v1/' }), [
    'warn: PETSTORE_PRODUCTION_URL and PETSTORE_STAGING_URL are the same, but the two deployments share nothing.',
  ])
})

test('a service that listens beyond the loopback without a public address for its deployment is a failure; behind a proxy, or as one of several, a warning', async t => {
  const folder = await temporaryFolder(t)
  const found = async (settings: Record<string, string>) => {
    const { code, findings } = await examine(folder, { PETSTORE_PRODUCTION_URL: '', ...settings })
    const { outcome, message } = findings.find(({ check }) => check === 'settings') ?? assert.fail()
    assert.equal(code, outcome === 'fail' ? 1 : 0)
    return outcome === 'ok' ? outcome : `${outcome}: ${message}`
  }
  assert.equal(await found({}), 'ok')
  assert.equal(await found({ PETSTORE_HOST: '::1' }), 'ok')
  for (const host of ['0.0.0.0', '::', '192.0.2.2']) {
    const needs = (setting: string) =>
      `fail: PETSTORE_HOST=${host} needs ${setting}, the address that callers use, such as http://ADDRESS:8080/v1.`
    assert.equal(await found({ PETSTORE_HOST: host }), needs('PETSTORE_PRODUCTION_URL'))
    const staging = { PETSTORE_HOST: host, PETSTORE_DEPLOYMENT: 'staging' }
    assert.equal(await found({ ...staging, ...PUBLIC_URL }), needs('PETSTORE_STAGING_URL'))
    assert.equal(await found({ ...staging, PETSTORE_STAGING_URL: 'https://staging.example.com/v1' }), 'ok')
  }
  const warning =
    'PETSTORE_PRODUCTION_URL is unset: links in responses use http://127.0.0.1:8080/v1, which works only on this machine.'
  assert.equal(await found({ PETSTORE_TRUSTED_PROXIES: '127.0.0.1' }), `warn: ${warning}`)
  const config = parseConfig({ PETSTORE_DATABASE_URL: 'postgres://db/pets', PETSTORE_REDIS_URL: 'redis://cache' })
  const ofSeveral = await runChecks({ now: Date.now(), config, problems: [] }, 'settings')
  assert.deepEqual(
    ofSeveral.map(({ outcome, message }) => [outcome, message]),
    [['warn', warning]],
  )
})

test('a folder that this user may not enter is a failure, and its contents are unknown', async t => {
  const parent = await temporaryFolder(t)
  const folder = join(parent, 'data')
  await mkdir(folder)
  await makeStore(folder)
  handOver(parent)
  for (const closed of [folder, parent]) {
    await chmod(closed, 0)
    const found = await examineAsStranger(folder)
    await chmod(closed, 0o700)
    assert.deepEqual(
      ['folder', 'store', 'service'].map(check => outcomeOf(found, check)),
      ['fail', 'fail', 'fail'],
    )
    assert.match(
      messageOf(found, 'folder'),
      /This user cannot (enter|access) the folder .*; run this command as the owner/,
    )
    assert.match(messageOf(found, 'store'), /petstore\.db cannot be read \(permission denied\)/)
    assert.match(messageOf(found, 'disk'), /takes an unknown size, its log an unknown size/)
  }
})

test('a file of the store that this user may not write is a failure', async t => {
  const folder = await makeStore(await temporaryFolder(t))
  handOver(folder)
  await chmod(databaseFile(folder), 0o400)
  const found = await examineAsStranger(folder)
  assert.deepEqual([found.code, outcomeOf(found, 'folder'), outcomeOf(found, 'store')], [1, 'fail', 'ok'])
  assert.match(messageOf(found, 'folder'), /petstore\.db cannot be read and written by this user; .*chown/)
})

test('a log that this user may not read is a failure', async t => {
  const folder = await leaveLog(t, ['', '-wal', '-shm'])
  handOver(folder)
  await chmod(`${databaseFile(folder)}-wal`, 0)
  const found = await examineAsStranger(folder)
  assert.deepEqual([found.code, outcomeOf(found, 'folder'), outcomeOf(found, 'store')], [1, 'fail', 'fail'])
  assert.match(messageOf(found, 'store'), /petstore\.db-wal cannot be read \(permission denied\)\.$/)
})

test('a store whose write lock another process holds is a failure; one that is constantly written is not', async t => {
  const folder = await temporaryFolder(t)
  const store = await SqliteStore.open(folder, 'production')
  t.after(() => store.close())
  const pet = { name: 'Rex', categoryId: 7n, status: 'available' } as const
  let stopped = false
  const lanes = Array.from({ length: 8 }, async () => {
    while (!stopped) await store.createPet(pet, Date.now())
  })
  const busy = await examineByCommand(folder)
  stopped = true
  await Promise.all(lanes)
  assert.deepEqual([busy.code, outcomeOf(busy, 'writing')], [0, 'ok'])

  const release = await lockWrites(folder)
  const found = await examineByCommand(folder)
  await release()
  assert.deepEqual([found.code, outcomeOf(found, 'writing')], [1, 'fail'])
  assert.match(messageOf(found, 'writing'), /^Another process holds the write lock of the store/)
})

test('nothing is written into a store whose log was left by a process that was killed', async t => {
  const folder = await leaveLog(t, ['', '-wal'])
  const contents = () => ['', '-wal'].map(suffix => readFileSync(databaseFile(folder) + suffix))
  const before = contents()
  assert.match(messageOf(await examineByCommand(folder), 'store'), /animals: 1,/)
  assert.deepEqual(contents(), before)
})

test('where there is no store yet, nothing fails and nothing is created', async t => {
  const parent = await temporaryFolder(t)
  const missing = await examine(join(parent, 'data'))
  assert.equal(missing.code, 0)
  assert.match(messageOf(missing, 'store'), /no store in .* yet/)
  assert.deepEqual(await readdir(parent), [])
  assert.equal((await examine(parent)).code, 0)
  assert.deepEqual(await readdir(parent), [])
})

test('a link to what is missing, such as a disk that is not mounted, is a failure', async t => {
  const parent = await temporaryFolder(t)
  const folder = join(parent, 'data')
  const missing = join(parent, 'disk', 'data')
  const message = async () => messageOf(await examineByCommand(folder), 'folder')
  const leadsNowhere = (target: string) =>
    `is a link to ${target}, which is missing; mount its disk, or set PETSTORE_DATA.`
  symlinkSync(missing, folder)
  assert.equal(await message(), `The folder ${folder} ${leadsNowhere(missing)}`)
  await rm(folder)
  await mkdir(folder, { mode: 0o700 })
  const file = databaseFile(folder)
  symlinkSync(databaseFile(missing), file)
  assert.equal(await message(), `The file ${file} ${leadsNowhere(databaseFile(missing))}`)
  await mkdir(missing, { recursive: true })
  assert.match(await message(), /^The folder \S+ is writable, and closed to other users\.$/)
})

test('nothing is written into a store, whether a process has it open or not', async t => {
  const folder = await makeStore(await temporaryFolder(t))
  const content = readFileSync(databaseFile(folder))
  const { mtimeMs } = await stat(databaseFile(folder))
  const names = await readdir(folder)
  await examineByCommand(folder)
  assert.deepEqual(await readdir(folder), names)
  assert.deepEqual(readFileSync(databaseFile(folder)), content)
  assert.equal((await stat(databaseFile(folder))).mtimeMs, mtimeMs)
})

test('a running service is reported, read including its write-ahead log, and not disturbed', async t => {
  const folder = await temporaryFolder(t)
  const service = await serve(t, folder)
  const other = await SqliteStore.open(folder, 'production')
  t.after(() => other.close())
  await other.createPet({ name: 'Rex', categoryId: 1n, status: 'sold' }, Date.now())
  const before = await stat(`${databaseFile(folder)}-wal`)
  const found = await examineByCommand(folder)
  assert.equal(found.code, 0)
  assert.match(messageOf(found, 'service'), /^A service, or petstore migrate-store, is running/)
  assert.match(messageOf(found, 'store'), /animals: 1,/)
  assert.ok(before.size > 0)
  assert.throws(() => lockForServing(folder), /A service or petstore migrate-store is running/)
  await service.stop()
  assert.match(messageOf(await examineByCommand(folder), 'service'), /^No service is running/)
})

test('a store that is damaged, of the other deployment or newer is a failure, as is a file that is not a store', async t => {
  const folder = await makeStore(await temporaryFolder(t))
  const staging = await examine(folder, { PETSTORE_DEPLOYMENT: 'staging' })
  assert.deepEqual([staging.code, outcomeOf(staging, 'store')], [1, 'fail'])
  assert.match(messageOf(staging, 'store'), /belongs to production; set PETSTORE_DEPLOYMENT=production/)

  const spoil = async (spoilStore: (file: string) => void, words: RegExp) => {
    const other = await makeStore(await temporaryFolder(t))
    spoilStore(databaseFile(other))
    const found = await examine(other)
    assert.deepEqual([found.code, outcomeOf(found, 'store')], [1, 'fail'])
    assert.match(messageOf(found, 'store'), words)
  }
  await spoil(
    file =>
      execute(
        file,
        'PRAGMA foreign_keys = OFF; INSERT INTO ban (id, key_id, started_at, ends_at, ordinal) VALUES (1, 9, 0, 1, 1)',
      ),
    /damaged.*ban/,
  )
  for (const column of ['cursor_secret', 'deployment']) {
    await spoil(
      file => execute(file, `ALTER TABLE store RENAME COLUMN ${column} TO other`),
      /damaged \(the table store was changed\)\. Restore a backup/,
    )
  }
  await spoil(scribble, /damaged.*petstore restore/)
  await spoil(file => execute(file, 'PRAGMA user_version = 999'), /version 999.*newer/)
  await spoil(file => writeFileSync(file, 'no store'), /is not a Petstore store/)
})

test('a store that is still to be upgraded is a warning', async t => {
  const folder = await temporaryFolder(t)
  const first = readFileSync(new URL('../src/sqlite/migrations/0001_initial.sql', import.meta.url), 'utf8')
  const fill = "INSERT INTO store (deployment, cursor_secret) VALUES ('production', x'00'); PRAGMA user_version = 1"
  execute(databaseFile(folder), `${first}; ${fill}`)
  await chmod(databaseFile(folder), 0o600)
  const found = await examine(folder)
  assert.deepEqual([found.code, outcomeOf(found, 'versions'), outcomeOf(found, 'store')], [0, 'warn', 'ok'])
  assert.match(messageOf(found, 'versions'), /still has version 1/)
})

test('a folder or store that others may read is a warning, a file in place of the folder a failure', async t => {
  const folder = await makeStore(await temporaryFolder(t))
  await chmod(databaseFile(folder), 0o644)
  const found = await examine(folder)
  assert.deepEqual([found.code, outcomeOf(found, 'folder')], [0, 'warn'])
  assert.match(messageOf(found, 'folder'), /petstore\.db is open to every user/)
  await chmod(databaseFile(folder), 0o600)
  await chmod(folder, 0o755)
  assert.equal(outcomeOf(await examine(folder), 'folder'), 'warn')

  const file = join(folder, 'a file')
  writeFileSync(file, '')
  const none = await examine(file)
  assert.deepEqual([none.code, outcomeOf(none, 'folder')], [1, 'fail'])
})

test('a folder in place of the lock file is a failure', async t => {
  const folder = await makeStore(await temporaryFolder(t))
  await mkdir(join(folder, 'serving.lock'))
  const found = await examine(folder)
  assert.deepEqual([found.code, outcomeOf(found, 'service')], [1, 'fail'])
})

test('a clock behind the newest time in the store is a failure', async t => {
  const times = [
    (at: number) => `INSERT INTO audit (at, actor, origin, action, details) VALUES (${at}, 'a', 'b', 'c', '{}')`,
    (at: number) =>
      `INSERT INTO account (name, plan, per_minute, per_day, created_at) VALUES ('a', 'free', 1, 1, ${at})`,
  ]
  for (const [index, insert] of times.entries()) {
    const folder = await makeStore(await temporaryFolder(t))
    execute(databaseFile(folder), insert(Date.now() + 50_000))
    assert.equal(outcomeOf(await examine(folder), 'clock'), 'ok')
    execute(databaseFile(folder), insert(Date.now() + 3_600_000).replace("'a'", `'later ${index}'`))
    const found = await examine(folder)
    assert.deepEqual([found.code, outcomeOf(found, 'clock')], [1, 'fail'])
    assert.match(messageOf(found, 'clock'), /, (35\d\d|3600) seconds before the newest time in the store/)
  }
})

test('a clock that is in doubt is a warning, and times that it wrote do not count afterwards', () => {
  const confirmedAt = Date.UTC(2027, 0, 1)
  const judge = (now: number, newestTime: number | undefined) =>
    checkClock({ newestTime, clockConfirmedAt: confirmedAt }, now)
  const doubt = judge(confirmedAt + 400 * 86_400_000, confirmedAt + 400 * 86_400_000)
  assert.equal(doubt.outcome, 'warn')
  assert.match(doubt.message, /^The clock shows 2028-02-05.*, 400 days after .*2027-01-01.* confirm-clock\.$/)
  assert.equal(judge(confirmedAt + 1_000, confirmedAt + 400 * 86_400_000).outcome, 'ok', 'after it was set right')
  for (const newestTime of [undefined, confirmedAt - 7_200_000]) {
    assert.equal(judge(confirmedAt - 3_600_000, newestTime).outcome, 'fail')
  }
  assert.equal(judge(confirmedAt + 1_000, confirmedAt + 3_600_000).outcome, 'fail')
})

test('a clock that shows a time before this program was written is a failure', () => {
  assert.equal(checkClock({}, Date.UTC(2020, 0, 1)).outcome, 'fail')
  assert.equal(checkClock({}, Date.UTC(2027, 0, 1)).outcome, 'ok')
})

test('less than a tenth of the disk or a gibibyte is a warning, less than 100 mebibytes a failure', () => {
  const gib = 1024 ** 3
  const outcomes = (freeBytes: number, totalBytes: number) => judgeSpace({ freeBytes, totalBytes }).outcome
  assert.equal(outcomes(50 * gib, 100 * gib), 'ok')
  assert.equal(outcomes(10 * gib, 100 * gib), 'ok')
  assert.equal(outcomes(9.9 * gib, 100 * gib), 'warn')
  assert.equal(outcomes(0.9 * gib, 2 * gib), 'warn')
  assert.equal(outcomes(100 * 1024 ** 2, 2 * gib), 'warn')
  assert.equal(outcomes(100 * 1024 ** 2 - 1, gib / 8), 'fail')
})

test('an admin token counts only while it is active', async t => {
  const folder = await makeStore(await temporaryFolder(t))
  const insert = (hash: string, role: string, expiresAt: number | null, revokedAt: number | null) =>
    execute(
      databaseFile(folder),
      `INSERT INTO operator_token (hash, hint, name, role, created_at, expires_at, revoked_at)
       VALUES ('${hash}', 'x', 'x', '${role}', 0, ${expiresAt}, ${revokedAt})`,
    )
  insert('a', 'staff', null, null)
  insert('b', 'admin', 1, null)
  insert('c', 'admin', null, 1)
  assert.equal(outcomeOf(await examine(folder), 'tokens'), 'warn')
  insert('d', 'admin', Date.now() + 600_000, null)
  assert.equal(outcomeOf(await examine(folder), 'tokens'), 'ok')
})

interface Examined {
  code: number
  findings: Finding[]
}

/** Runs the command. */
async function examineByCommand(folder: string, settings: Record<string, string> = {}): Promise<Examined> {
  const env = { ...PUBLIC_URL, PETSTORE_DATA: folder, ...settings }
  const { code, stdout, stderr } = await runCommand(['doctor', '--json'], env)
  assert.equal(stderr, '')
  const { ok, findings } = JSON.parse(stdout)
  assert.equal(ok, code === 0)
  return { code, findings }
}

/** The findings and the exit code of the command. */
async function examine(folder: string, settings: Record<string, string> = {}): Promise<Examined> {
  const findings = await examineAll({ ...PUBLIC_URL, PETSTORE_DATA: folder, ...settings }, Date.now())
  return { code: findings.some(({ outcome }) => outcome === 'fail') ? 1 : 0, findings }
}

/** The same as a user who owns the given paths, and to whom permissions apply. */
async function examineAsStranger(folder: string): Promise<Examined> {
  const env = { ...PUBLIC_URL, PETSTORE_DATA: folder }
  const { code, stdout, stderr } = await new Promise<Ending>(resolve => {
    execFile(process.execPath, [PROGRAM, 'doctor', '--json'], { env, ...STRANGER }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr })
    })
  })
  assert.equal(stderr, '')
  return { code, findings: JSON.parse(stdout).findings }
}

/** Permissions do not apply to root. */
const STRANGER: { uid?: number; gid?: number } = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** Returns the folder of a store as a process leaves it that is killed, with these of its files. */
async function leaveLog(t: TestContext, suffixes: readonly string[]): Promise<string> {
  const [from, folder] = [await temporaryFolder(t), await temporaryFolder(t)]
  const store = await SqliteStore.open(from, 'production', { inThreads: false })
  await store.createPet({ name: 'Rex', categoryId: 1n, status: 'sold' }, Date.now())
  for (const suffix of suffixes) await copyFile(databaseFile(from) + suffix, databaseFile(folder) + suffix)
  await store.close()
  return folder
}

function handOver(folder: string): void {
  const { uid, gid } = STRANGER
  if (uid === undefined || gid === undefined) return
  for (const name of ['', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })]) {
    chownSync(join(folder, name), uid, gid)
  }
}

function outcomeOf({ findings }: Examined, check: string): string | undefined {
  return findings.find(finding => finding.check === check)?.outcome
}

function messageOf({ findings }: Examined, check: string): string {
  return findings.find(finding => finding.check === check)?.message ?? ''
}

async function makeStore(folder: string): Promise<string> {
  const store = await SqliteStore.open(folder, 'production', { inThreads: false })
  const pet = { name: 'Rex', categoryId: 7n, status: 'available' } as const
  await Promise.all(Array.from({ length: 500 }, () => store.createPet(pet, Date.now())))
  await store.close()
  return folder
}
