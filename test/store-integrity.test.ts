import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { platform } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { examine } from '../src/app/checks/examine.ts'
import { StoreDamaged, StoreUnavailable } from '../src/domain/errors.ts'
import { INT64_MAX } from '../src/domain/int64.ts'
import type { NewPet } from '../src/domain/pet.ts'
import { hashSecret, hintOf } from '../src/domain/secret.ts'
import { entry } from '../src/domain/store-contract/fixtures.contract.ts'
import { PET_WITH_CHECKSUM, petsAfter } from '../src/sql/pets.ts'
import { backupBeforeUpgrade } from '../src/sqlite/backup/before-upgrade.ts'
import { identifyStore } from '../src/sqlite/backup/inspect.ts'
import { connect } from '../src/sqlite/connection.ts'
import { databaseFile, indexFile, logFile } from '../src/sqlite/data-folder/store-files.ts'
import { prepareDatabase } from '../src/sqlite/prepare-database.ts'
import { SqliteStore } from '../src/sqlite/store.ts'
import { call } from './support/call.ts'
import { PROGRAM, petstore, runCommand, withoutNewStore } from './support/command-line.ts'
import { execute } from './support/database.ts'
import { eventually } from './support/eventually.ts'
import { temporaryFolder } from './support/folder.ts'
import { startTestService } from './support/service.ts'
import { serve } from './support/store-commands.ts'

// Stores with damaged, missing or replaced files: nothing false is acknowledged or served, and no command makes the damage worse.

const NOW = Date.UTC(2027, 2, 1, 12)
const REX: NewPet = { name: 'Rex of Basel', categoryId: 7n, status: 'available' }
/** As Litestream creates them. */
const LITESTREAM_TABLES = `CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER);
  CREATE TABLE _litestream_lock (id INTEGER)`
type Spoil = [sql: string, words: RegExp]
const FIRST_PAGE = { status: undefined, afterId: 0n, limit: 100 }

test('writes succeed again after the file of the store was moved away and back', async t => {
  for (const hasWritten of [false, true]) {
    const folder = await temporaryFolder(t)
    const store = await open(t, folder)
    if (hasWritten) await store.createPet(REX, NOW)
    const file = databaseFile(folder)
    await rename(file, `${file}.aside`)
    await assert.rejects(store.createPet(REX, NOW), StoreUnavailable)
    await rename(`${file}.aside`, file)
    assert.equal((await store.createPet(REX, NOW)).outcome, 'created')
    await store.check()
  }
})

test('after the log is deleted, nothing is acknowledged, and nothing acknowledged before is lost', async t => {
  const folder = await temporaryFolder(t)
  const script = `
    import { rmSync } from 'node:fs'
    import { SqliteStore } from ${JSON.stringify(new URL('../src/sqlite/store.ts', import.meta.url))}
    const store = await SqliteStore.open(${JSON.stringify(folder)}, 'production')
    const create = () => store.createPet({ name: 'Rex', categoryId: 1n, status: 'sold' }, 1)
    for (let count = 0; count < 20; count += 1) await create()
    rmSync(${JSON.stringify(`${databaseFile(folder)}-wal`)})
    let refused = 0
    for (let count = 0; count < 20; count += 1) await create().catch(() => { refused += 1 })
    await store.check().catch(() => { refused += 1 })
    process.stdout.write(String(refused))
    process.kill(process.pid, 'SIGKILL')`
  const child = spawn(process.execPath, ['--eval', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  let printed = ''
  child.stdout.on('data', chunk => {
    printed += chunk
  })
  await once(child, 'close')
  assert.equal(printed, '21')
  const { pets } = await (await open(t, folder)).listPets(FIRST_PAGE)
  assert.equal(pets.length, 20)
})

test('the log of a process that was killed must be there, and whole', async t => {
  const spoils: [message: RegExp, spoil: (log: string) => void][] = [
    [/petstore\.db-wal is missing, so the last changes are lost\./, log => rmSync(log)],
    [/petstore\.db-wal has been cut short, so the last changes/, log => truncateSync(log, statSync(log).size - 1)],
    [/petstore\.db-wal has been cut short, so the last changes/, log => truncateSync(log)],
  ]
  for (const [message, spoil] of spoils) {
    const folder = await temporaryFolder(t)
    await createAndBeKilled(folder)
    spoil(logFile(databaseFile(folder)))
    for (const command of ['serve', 'account list', `backup ${join(folder, 'out.db')}`]) {
      const { code, stderr } = await runCommand(command.split(' '), onFreePorts(folder))
      assert.equal(code, 1, command)
      assert.match(stderr, message)
      assert.match(stderr, /To use the store without these changes, delete \S+petstore\.db-shm\.\n$/)
    }
    const finding = (await examine({ PETSTORE_DATA: folder }, Date.now())).find(({ check }) => check === 'store')
    assert.deepEqual([finding?.outcome, message.test(finding?.message ?? '')], ['fail', true])
    rmSync(indexFile(databaseFile(folder)))
    await (await open(t, folder)).check()
  }
})

test('a command that only reads a store leaves a truncated log for the next start to detect', async t => {
  const looks: ((folder: string) => Promise<void>)[] = [
    async folder => {
      const settings = { PETSTORE_DATA: folder, PETSTORE_BACKUP_TO: await temporaryFolder(t) }
      const { code, stdout } = await runCommand(['doctor'], settings)
      assert.equal(code, 1)
      for (const check of ['store', 'backup']) {
        assert.match(
          stdout,
          new RegExp(`^${check} +fail .*petstore\\.db-wal has been cut short, so the last changes`, 'm'),
        )
      }
    },
    async folder => {
      const completed = await runCommand(['__complete', 'zsh', 'key', 'create', ''], { PETSTORE_DATA: folder })
      assert.deepEqual(completed, { code: 0, stdout: '', stderr: '' })
    },
    async folder => {
      const { code, stderr } = await petstore(['serve', '--demo'], onFreePorts(folder))
      assert.equal(code, 1, stderr)
      assert.match(stderr, /petstore\.db-wal has been cut short, so the last changes/)
    },
  ]
  for (const look of looks) {
    const folder = await temporaryFolder(t)
    await createAndBeKilled(folder)
    const log = logFile(databaseFile(folder))
    truncateSync(log, statSync(log).size - 1)
    await look(folder)
    const { code, stderr } = await petstore(['serve'], onFreePorts(folder))
    assert.equal(code, 1, stderr)
    assert.match(stderr, /petstore\.db-wal has been cut short, so the last changes/)
  }
})

test('an index of another log, such as after a crash of the machine, does not prevent using a store', async t => {
  const spoils: ((index: Buffer) => Buffer)[] = [
    index => {
      for (const header of [0, 48]) flip(index, header + 32, 0x01)
      return index
    },
    index => {
      flip(index, 48 + 16, 0x01)
      return index
    },
    () => Buffer.alloc(0),
    () => Buffer.alloc(99),
  ]
  for (const spoil of spoils) {
    const folder = await temporaryFolder(t)
    await createAndBeKilled(folder)
    const [index, log] = [indexFile(databaseFile(folder)), logFile(databaseFile(folder))]
    writeFileSync(index, spoil(readFileSync(index)))
    truncateSync(log, statSync(log).size - 1)
    const store = await SqliteStore.open(folder, 'production', { inThreads: false })
    assert.ok((await store.listPets(FIRST_PAGE)).pets.length >= 19)
    await store.close()
  }
})

test('a process that opens its store again keeps its locks on the index of the log', {
  skip: platform() !== 'linux' && 'only Linux lists locks',
}, async t => {
  const folder = await temporaryFolder(t)
  const first = await SqliteStore.open(folder, 'production')
  await first.createPet({ name: 'Rex', categoryId: 1n, status: 'sold' }, NOW)
  const { ino } = statSync(indexFile(databaseFile(folder)))
  const locks = () =>
    readFileSync('/proc/locks', 'utf8').match(new RegExp(` ${process.pid} \\S+:${ino} `, 'g'))?.length ?? 0
  assert.ok(locks() > 0)
  const second = await SqliteStore.open(folder, 'production')
  await second.close()
  assert.ok(locks() > 0)
  await first.close()
})

test('no command opens another store next to a running service whose files were deleted', async t => {
  // Each command waits two seconds for the end of a restore.
  const tryWithout = async (lost: string) => {
    const folder = await temporaryFolder(t)
    const service = await serve(t, folder)
    await rm(join(folder, lost))
    const left = (await readdir(folder)).toSorted()
    const commands = ['account create acme --plan free', 'account list', 'pet export out.csv', 'backup out.db']
    const tryCommand = async (command: string) => {
      const { code, stderr } = await petstore(command.split(' '), { PETSTORE_DATA: folder })
      assert.equal(code, 1, command)
      assert.match(stderr, /^error: (A service is running on .*is missing|There is no store)/, command)
    }
    await Promise.all(commands.map(tryCommand))
    assert.deepEqual((await readdir(folder)).toSorted(), left)
    const findings = await examine({ PETSTORE_DATA: folder }, Date.now())
    const found = findings.find(({ check }) => check === 'service')
    assert.equal(found?.outcome, 'fail')
    assert.match(found?.message ?? '', /^A service is running on .*petstore\.db.* is missing/)
    await service.stop()
  }
  await Promise.all(['petstore.db', 'petstore.db-wal'].map(tryWithout))
})

test('the file of a store can be a link to another disk, even at the first start', async t => {
  const [folder, disk] = [await temporaryFolder(t), await temporaryFolder(t)]
  symlinkSync(join(disk, 'store.db'), databaseFile(folder))
  const store = await SqliteStore.open(folder, 'production', { inThreads: false })
  await store.createPet(REX, NOW)
  await store.check()
  const finding = (await examine({ PETSTORE_DATA: folder }, Date.now())).find(({ check }) => check === 'store')
  assert.match(finding?.message ?? '', /animals: 1/, 'what is in the log counts')
  const { code, stderr } = await runCommand(['account', 'create', 'acme', '--plan', 'free'], { PETSTORE_DATA: folder })
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
  await store.close()
  assert.deepEqual(await readdir(disk), ['store.db'])
})

test('an emptied store is refused at the start, and left unchanged', async t => {
  const folder = await temporaryFolder(t)
  await fill(folder)
  truncateSync(databaseFile(folder))
  await assert.rejects(SqliteStore.open(folder, 'production', { inThreads: false }), {
    name: 'UserError',
    message: /petstore\.db is empty, so the store is gone\. Restore a backup/,
  })
  assert.equal((await stat(databaseFile(folder))).size, 0)
})

test('a database without tables in place of the store is refused at the start, and left unchanged', async t => {
  const folder = await temporaryFolder(t)
  await fill(folder)
  rmSync(databaseFile(folder))
  connect(databaseFile(folder)).close()
  const before = readFileSync(databaseFile(folder))
  await assert.rejects(SqliteStore.open(folder, 'production', { inThreads: false }), {
    name: 'UserError',
    message: /petstore\.db is not the store last used here: the file was replaced/,
  })
  assert.deepEqual(readFileSync(databaseFile(folder)), before)
})

test('a store that is not the latest one of the folder is refused, and left unchanged', async t => {
  const [folder, other] = [await temporaryFolder(t), await temporaryFolder(t)]
  await fill(folder)
  await fill(other, 500)
  const [file, mark] = [databaseFile(folder), join(folder, 'petstore.db.known')]
  await rm(mark, { force: true })
  const older = join(other, 'older.db')
  copyFileSync(file, older)
  const service = await serve(t, folder)
  assert.ok(existsSync(mark), 'a folder without a record accepts its store')
  const made = await runCommand(['pet', 'add', 'Rex', '--category', '7'], { PETSTORE_DATA: folder })
  assert.equal(made.code, 0, made.stderr)
  await service.stop()
  const right = readFileSync(file)

  const exchanges: [RegExp, () => void][] = [
    [/ is not the store last used here: the file was replaced\./, () => copyFileSync(databaseFile(other), file)],
    [/ is older than the store last used here: /, () => copyFileSync(older, file)],
    [/ is missing\. Put it back, or restore a backup\./, () => rmSync(file)],
  ]
  for (const [message, exchange] of exchanges) {
    exchange()
    const before = existsSync(file) && readFileSync(file)
    for (const command of ['serve', 'account create acme --plan free']) {
      const { code, stderr } = await runCommand(command.split(' '), onFreePorts(folder))
      assert.equal(code, 1, command)
      assert.match(stderr, message)
      assert.match(stderr, /petstore\.db\.known\.\n$/, 'the message says what to delete if this was intended')
    }
    assert.deepEqual(existsSync(file) && readFileSync(file), before)
    const finding = (await examine({ PETSTORE_DATA: folder }, Date.now())).find(({ check }) => check === 'store')
    assert.equal(finding?.outcome, 'fail')
    assert.match(finding?.message ?? '', message)
    writeFileSync(file, right)
  }
  await serveBriefly(t, folder)

  copyFileSync(databaseFile(other), file)
  await rm(mark)
  await serveBriefly(t, folder)
})

test('a restore can bring an older store, or another one, and the folder records it', async t => {
  const [folder, other] = [await temporaryFolder(t), await temporaryFolder(t)]
  const [own, foreign] = [join(other, 'own.db'), join(other, 'foreign.db')]
  await fill(folder)
  await fill(other)
  for (const [from, backup] of [
    [folder, own],
    [other, foreign],
  ] as const) {
    assert.equal((await runCommand(['backup', backup], { PETSTORE_DATA: from })).code, 0)
  }
  const store = await SqliteStore.open(folder, 'production', { inThreads: false })
  await store.createPet(REX, NOW)
  await store.close()
  const restored = [own, foreign, own]
  for (const backup of restored) {
    const { code, stderr } = await runCommand(['restore', backup, '--force'], { PETSTORE_DATA: folder })
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
    await serveBriefly(t, folder)
  }
  await rm(databaseFile(folder))
  assert.equal((await runCommand(['restore', own], { PETSTORE_DATA: folder })).code, 0)
  copyFileSync(foreign, databaseFile(folder))
  assert.match((await runCommand(['serve'], onFreePorts(folder))).stderr, / is not the store last used here/)
})

test('a truncated store is refused at the start, with and without a log', async t => {
  for (const hasLog of [false, true]) {
    const folder = await temporaryFolder(t)
    await fill(folder, 3_000)
    const file = databaseFile(folder)
    if (hasLog) {
      const store = await SqliteStore.open(folder, 'production', { inThreads: false })
      await store.createPet(REX, NOW)
      const [content, log] = ['', '-wal'].map(suffix => readFileSync(file + suffix)) as [Buffer, Buffer]
      await store.close()
      writeFileSync(file, content)
      writeFileSync(`${file}-wal`, log)
    }
    const { size } = await stat(file)
    truncateSync(file, Math.floor(size / 2 / 4_096) * 4_096)
    const { code, stderr } = await runCommand(['serve'], onFreePorts(folder))
    assert.equal(code, 1)
    assert.match(stderr, /^error: The store \S+ is damaged \(.*\)\. It may have been cut short; restore a backup\.\n$/)
  }
})

test('a store whose ids are used up is not ready, and doctor says why', async t => {
  const folder = await temporaryFolder(t)
  await fill(folder)
  execute(databaseFile(folder), `UPDATE sqlite_sequence SET seq = ${INT64_MAX} WHERE name = 'pet'`)
  const store = await open(t, folder)
  await assert.rejects(store.check(), /every id is used/)
  const findings = await examine({ PETSTORE_DATA: folder }, Date.now())
  assert.match(findings.find(({ outcome }) => outcome === 'fail')?.message ?? '', /every id is used/)
})

test('a damaged row is never served: the call gets 503, and is logged and counted', async t => {
  const folder = await temporaryFolder(t)
  const service = await startTestService(t, { backend: 'embedded', config: { dataFolder: folder } })
  const { key } = await service.createCaller()
  await service.store.createPet(REX, NOW)
  await service.close()
  for (const spoil of [
    // The type of the name in the head of the row: text becomes bytes.
    (content: Buffer) => flip(content, content.indexOf(REX.name) - 3, 0x01),
    (content: Buffer) => flip(content, content.indexOf(`${REX.name}`) + REX.name.length + 1, 0x01),
    (content: Buffer) => flip(content, content.indexOf(REX.name) + 1, 0x60),
  ]) {
    const sound = readFileSync(databaseFile(folder))
    const content = Buffer.from(sound)
    spoil(content)
    writeFileSync(databaseFile(folder), content)
    const damaged = await startTestService(t, { backend: 'embedded', config: { dataFolder: folder } })
    for (const path of ['/v1/pets', '/v1/pets/1', '/v1/pets?status=available']) {
      const answer = await call(damaged, { path, key })
      assert.deepEqual([path, answer.status, answer.json.code], [path, 503, 'service_unavailable'])
    }
    assert.ok(damaged.logs.some(line => line.includes('"level":50') && line.includes('StoreDamaged')))
    const metrics = await (await fetch(`${damaged.operatorUrl}/metrics`)).text()
    assert.match(metrics, /^petstore_store_damage_total [1-9]/m)
    await damaged.close()
    writeFileSync(databaseFile(folder), sound)
  }
})

test('a damaged key does not affect other keys', async t => {
  const folder = await temporaryFolder(t)
  const service = await startTestService(t, { backend: 'embedded', config: { dataFolder: folder } })
  const keys = [(await service.createCaller()).key, (await service.createCaller()).key]
  await service.close()
  const content = readFileSync(databaseFile(folder))
  // The type of the hash in the head of the row of the first key, whose hash is followed by its hint: text becomes bytes.
  const [first = ''] = keys
  const hash = content.indexOf(hashSecret(first) + hintOf(first))
  flip(content, content.lastIndexOf(Buffer.from([0x81, 0x0d]), hash) + 1, 0x01)
  writeFileSync(databaseFile(folder), content)
  const damaged = await startTestService(t, { backend: 'embedded', config: { dataFolder: folder } })
  const statuses: number[] = []
  for (const key of keys) statuses.push((await call(damaged, { path: '/v1/pets', key })).status)
  await damaged.close()
  assert.deepEqual(statuses, [503, 200])
})

test('a key with damaged networks is not treated as one that may call from anywhere', async t => {
  for (const damaged of ['', '0.0.0.0/0 ', '192.0.2.0/99', 'x']) {
    const folder = await temporaryFolder(t)
    const store = await SqliteStore.open(folder, 'production', { inThreads: false })
    const limits = { perMinute: 1, perDay: 1 }
    const { id } = await store.createAccount({ name: 'Acme', plan: 'free', limits }, entry('account.create'))
    const terms = { name: undefined, scope: 'read', networks: ['192.0.2.0/24'], expiresAt: undefined } as const
    await store.createKey({ accountId: id, hash: 'a hash', hint: '', ...terms }, entry('key.issue'))
    await store.close()
    execute(databaseFile(folder), `UPDATE api_key SET networks = '${damaged}'`)
    const spoiled = await open(t, folder)
    await assert.rejects(spoiled.findCaller('a hash'), StoreDamaged, damaged)
    await assert.rejects(spoiled.findKey(1n), StoreDamaged, damaged)
  }
})

test('an animal with any bit flipped is served as it was, or not served', async t => {
  const folder = await temporaryFolder(t)
  const store = await SqliteStore.open(folder, 'production', { inThreads: false })
  for (let count = 0; count < 3; count += 1) await store.createPet({ ...REX, categoryId: 300n }, NOW)
  const { pets } = await store.listPets(FIRST_PAGE)
  await store.close()
  const file = databaseFile(folder)
  const sound = readFileSync(file)
  const { sql, values, resultOf } = petsAfter(FIRST_PAGE, PET_WITH_CHECKSUM)
  // From the size of the row's head, before the name, to the end of its checksum. Beside it stand its length and its id. The name as it is
  // searched comes last: its type in the head decides nothing that is served.
  const name = sound.indexOf(REX.name)
  const end = name + REX.name.length + 2 + REX.status.length + 4
  let served = 0
  for (let place = name - 7; place < end; place += 1) {
    for (let bit = 1; bit < 256; bit *= 2) {
      const content = Buffer.from(sound)
      flip(content, place, bit)
      writeFileSync(file, content)
      const database = connect(file)
      try {
        assert.deepEqual(resultOf(database.prepare(sql).all(...values)).pets, pets, `bit ${bit} at ${place - name}`)
        served += 1
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error
      } finally {
        database.close()
      }
    }
  }
  assert.ok(served < 16, `${served} flips changed nothing`)
})

test('an animal written by another program is served, although it has no checksum', async t => {
  const folder = await temporaryFolder(t)
  const store = await open(t, folder)
  await store.createPet(REX, NOW)
  execute(
    databaseFile(folder),
    "UPDATE pet SET name = 'Max'; INSERT INTO pet (name, category_id, status) VALUES ('Mimi', 1, 'sold')",
  )
  await eventually(async () => {
    const { pets } = await store.listPets(FIRST_PAGE)
    assert.deepEqual(
      pets.map(({ name }) => name),
      ['Max', 'Mimi'],
    )
  })
})

test('backup and doctor detect an animal that differs from what was stored', async t => {
  const folder = await temporaryFolder(t)
  const store = await SqliteStore.open(folder, 'production', { inThreads: false })
  await store.createPet(REX, NOW)
  await store.close()
  const file = databaseFile(folder)
  const content = readFileSync(file)
  flip(content, content.indexOf(REX.name), 0x02)
  writeFileSync(file, content)
  const copy = join(await temporaryFolder(t), 'copy.db')
  const backup = await runCommand(['backup', copy], { PETSTORE_DATA: folder })
  assert.equal(backup.code, 1)
  assert.match(backup.stderr, /animal 1 is not as it was stored/)
  const doctor = await runCommand(['doctor'], { PETSTORE_DATA: folder })
  assert.equal(doctor.code, 1)
  assert.match(doctor.stdout, /animal 1 is not as it was stored/)
})

test('an index that points to the wrong row serves neither animals nor callers', async t => {
  const folder = await temporaryFolder(t)
  const store = await SqliteStore.open(folder, 'production', { inThreads: false })
  for (const status of ['available', 'available', 'sold'] as const) await store.createPet({ ...REX, status }, NOW)
  const limits = { perMinute: 1, perDay: 1 }
  const { id: accountId } = await store.createAccount({ name: 'Acme', plan: 'free', limits }, entry('account.create'))
  const hashes = ['one', 'two', 'three']
  for (const hash of hashes) {
    await store.createKey(
      { accountId, hash, hint: '', name: undefined, scope: 'read-write', networks: undefined, expiresAt: undefined },
      entry('key.issue'),
    )
  }
  await store.close()
  const content = readFileSync(databaseFile(folder))
  // The last byte of an entry is the id of its row.
  for (const key of ['available\u0002\u0002', 'two\u0002']) flip(content, content.indexOf(key) + key.length - 1, 0x01)
  writeFileSync(databaseFile(folder), content)

  const damaged = await open(t, folder)
  await assert.rejects(damaged.listPets({ ...FIRST_PAGE, status: 'available' }), StoreDamaged)
  await assert.rejects(damaged.findCaller('two'), StoreDamaged)
  assert.equal((await damaged.findCaller('one'))?.keyId, 1n)
})

test('backup, restore and doctor refuse a store that breaks a constraint, lacks a table or has a foreign part', async t => {
  const damages: Spoil[] = [
    [
      "PRAGMA ignore_check_constraints = ON; UPDATE pet SET status = 'evil'",
      /a row of pet violates the constraint status = 'available' OR/,
    ],
    [
      "PRAGMA foreign_keys = OFF; INSERT INTO api_key (account_id, hash, hint, created_at) VALUES (99, 'h', 'hint', 0)",
      /a row of api_key refers to a missing row of account/,
    ],
    [
      "PRAGMA ignore_check_constraints = ON; INSERT INTO account (name, plan, per_minute, per_day, created_at) VALUES ('a', 'evil', 1, 1, 1)",
      /a row of account violates the constraint plan IN \('free', /,
    ],
    ['DROP TABLE usage', /the table usage is missing/],
    ['DROP INDEX pet_by_status', /the index pet_by_status is missing/],
    ['ALTER TABLE pet ADD COLUMN owner TEXT', /the table pet was changed/],
  ]
  const foreign: Spoil[] = [
    [
      'CREATE TRIGGER one AFTER INSERT ON pet BEGIN DELETE FROM account; END',
      /has a foreign trigger \(one\), .* DROP TRIGGER "one"\.$/m,
    ],
    ['CREATE TABLE "a ""b""" (id INTEGER)', /has a foreign table \(a "b"\), .* DROP TABLE "a ""b"""\.$/m],
    ['CREATE TABLE _litestream_seq (id INTEGER, seq TEXT)', /has a foreign table \(_litestream_seq\)/],
    ['CREATE TABLE _litestream_other (id INTEGER)', /has a foreign table \(_litestream_other\)/],
    ['CREATE VIEW _litestream_lock AS SELECT id FROM pet', /has a foreign view \(_litestream_lock\)/],
    ['CREATE INDEX pets_by_name ON pet (name)', /has a foreign index \(pets_by_name\), .* DROP INDEX "pets_by_name"/],
  ]
  for (const [sql, words] of [...damages, ...foreign]) {
    const folder = await temporaryFolder(t)
    await fill(folder)
    execute(databaseFile(folder), sql)
    const findings = await examine({ PETSTORE_DATA: folder }, Date.now())
    const found = findings.find(({ check }) => check === 'store')
    assert.deepEqual([found?.outcome, words.test(found?.message ?? '')], ['fail', true], `${sql}: ${found?.message}`)
    assert.equal(found?.message.includes('petstore restore FILE --force'), !foreign.some(([one]) => one === sql), sql)
    const place = await temporaryFolder(t)
    const backup = await runCommand(['backup', join(place, 'b.db')], { PETSTORE_DATA: folder })
    assert.equal(backup.code, 1)
    assert.match(backup.stderr, words)
    const restored = await runCommand(['restore', databaseFile(folder)], { PETSTORE_DATA: place })
    assert.equal(restored.code, 1)
    assert.match(restored.stderr, words)
    assert.deepEqual(await readdir(place), [])
  }
})

test('the tables of Litestream are left alone by doctor, backup, restore and the backup before an upgrade', async t => {
  const [folder, place] = [await temporaryFolder(t), await temporaryFolder(t)]
  cpSync(new URL('release/store-1.0.0.db', import.meta.url), databaseFile(folder))
  const { version } = identifyStore(databaseFile(folder))
  execute(databaseFile(folder), LITESTREAM_TABLES)
  assert.equal((await runCommand(['account', 'list'], { PETSTORE_DATA: folder })).code, 0)
  const backup = join(place, 'b.db')
  const { code, stderr } = await runCommand(['backup', backup], { PETSTORE_DATA: folder })
  assert.deepEqual([code, stderr], [0, ''])
  for (const file of [backup, backupBeforeUpgrade(databaseFile(folder), version)]) {
    const restored = await temporaryFolder(t)
    const ending = await runCommand(['restore', file], { PETSTORE_DATA: restored })
    assert.deepEqual([ending.code, withoutNewStore(ending.stderr)], [0, ''])
    for (const one of [folder, restored]) {
      const findings = await examine({ PETSTORE_DATA: one }, Date.now())
      assert.equal(findings.find(({ check }) => check === 'store')?.outcome, 'ok')
    }
  }
})

test('a store is not upgraded if the backup made before that could not be restored', async t => {
  const spoils: Spoil[] = [
    ['DROP INDEX pet_by_status', /is damaged \(.*\)\. It is not upgraded; restore a backup\.$/],
    ['CREATE VIEW names AS SELECT name FROM pet', /has a foreign view \(names\), .* DROP VIEW "names"\.$/],
  ]
  for (const [sql, words] of spoils) {
    const folder = await temporaryFolder(t)
    cpSync(new URL('release/store-1.0.0.db', import.meta.url), databaseFile(folder))
    execute(databaseFile(folder), sql)
    const before = readFileSync(databaseFile(folder))
    assert.throws(() => prepareDatabase(folder, 'production'), { name: 'UserError', message: words })
    assert.deepEqual(readFileSync(databaseFile(folder)), before)
    assert.deepEqual(
      (await readdir(folder)).filter(name => name.includes('upgrade')),
      [],
    )
  }
})

test('restore checks the schema of a backup before it reads what the schema must have', async t => {
  const folder = await temporaryFolder(t)
  await fill(folder)
  execute(databaseFile(folder), 'ALTER TABLE store RENAME COLUMN cursor_secret TO secret')
  const restored = await runCommand(['restore', databaseFile(folder)], { PETSTORE_DATA: await temporaryFolder(t) })
  assert.equal(restored.code, 1)
  assert.match(restored.stderr, /the table store was changed/)
})

test('neither an export nor a backup overwrites a file of the store under any name', async t => {
  const folder = await temporaryFolder(t)
  const store = await open(t, folder)
  await store.createPet(REX, NOW)
  writeFileSync(join(folder, 'serving.lock'), '')
  const elsewhere = await temporaryFolder(t)
  const [link, secondName, folderLink] = ['link', 'second', 'folder'].map(name => join(elsewhere, name)) as [
    string,
    string,
    string,
  ]
  symlinkSync(databaseFile(folder), link)
  linkSync(databaseFile(folder), secondName)
  symlinkSync(folder, folderLink)
  const own = ['petstore.db', 'petstore.db-wal', 'petstore.db-shm', 'petstore.db-journal', 'serving.lock']
  const before = await stat(databaseFile(folder))
  const assertKept = async (files: readonly string[], dataFolder: string) => {
    const commands = files.flatMap(file => [
      ['pet', 'export', file, '--format', 'ndjson', '--force'],
      ['backup', file, '--force'],
    ])
    for (const command of commands) {
      const { code, stderr } = await runCommand(command, { PETSTORE_DATA: dataFolder })
      assert.equal(code, 1, command.join(' '))
      assert.match(stderr, /^error: The file \S+ belongs to the store; choose another name\.\n$/, command.join(' '))
    }
  }
  await assertKept([...own.map(name => join(folder, name)), link, secondName, join(folderLink, 'petstore.db')], folder)
  assert.equal((await stat(databaseFile(folder))).ino, before.ino)

  const linked = await temporaryFolder(t)
  const file = join(elsewhere, 'store.db')
  symlinkSync(file, databaseFile(linked))
  await (await open(t, linked)).createPet(REX, NOW)
  await assertKept([file, `${file}-wal`, `${file}-shm`], linked)
})

test('leftovers of a killed command are reported by doctor and removed by the next; a running one keeps its files', async t => {
  const folder = await temporaryFolder(t)
  await fill(folder, 100_000)
  const parts = async () => (await readdir(folder)).filter(name => name.endsWith('.part'))
  // An export that ends before it is killed leaves nothing; then the next one is killed.
  const killed = await eventually(async () => {
    const child = spawn(process.execPath, [PROGRAM, 'pet', 'export', join(folder, 'pets.csv'), '--force'], {
      env: { PETSTORE_DATA: folder },
      stdio: 'ignore',
    })
    const ended = once(child, 'exit')
    await eventually(async () => assert.ok(child.exitCode !== null || (await parts()).length === 1), 1)
    child.kill('SIGKILL')
    await ended
    const [left] = await parts()
    assert.ok(left)
    return left
  })
  const living = killed.replace(/-\d+-(?=[0-9a-f]{8}\.part$)/, `-${process.pid}-`)
  writeFileSync(join(folder, living), '')
  await mkdir(join(folder, 'restoring-abc'))
  const findings = await examine({ PETSTORE_DATA: folder }, Date.now())
  const left = findings.filter(({ check }) => check === 'leftovers').map(({ message }) => message)
  assert.equal(left.length, 2)
  assert.ok(left.some(message => message.includes(killed)) && left.some(message => message.includes('restoring-abc')))

  await runCommand(['pet', 'export', join(folder, 'pets.csv'), '--force'], { PETSTORE_DATA: folder })
  assert.deepEqual(await parts(), [living])
  // No process of this machine has its id.
  const ofAnotherMachine = join(folder, killed.replace(/petstore-[0-9a-f]*-/, 'petstore-00-'))
  writeFileSync(ofAnotherMachine, '')
  const service = await serve(t, folder)
  assert.deepEqual(existsSync(join(folder, 'restoring-abc')), false)
  await service.stop()
  assert.ok(existsSync(ofAnotherMachine))
  const longAgo = Date.now() / 1_000 - 2 * 24 * 60 * 60
  await utimes(ofAnotherMachine, longAgo, longAgo)
  await (await serve(t, folder)).stop()
  assert.deepEqual(await parts(), [living])
})

/** Leaves the store in the state of a process that was killed after creating 20 animals. */
async function createAndBeKilled(folder: string): Promise<void> {
  const script = `
    import { SqliteStore } from ${JSON.stringify(new URL('../src/sqlite/store.ts', import.meta.url))}
    const store = await SqliteStore.open(${JSON.stringify(folder)}, 'production')
    for (let count = 0; count < 20; count += 1) await store.createPet({ name: 'Rex', categoryId: 1n, status: 'sold' }, 1)
    process.kill(process.pid, 'SIGKILL')`
  await once(spawn(process.execPath, ['--eval', script], { stdio: 'inherit' }), 'close')
}

function flip(content: Buffer, at: number, bits: number): void {
  content[at] = (content[at] as number) ^ bits
}

async function open(t: TestContext, folder: string): Promise<SqliteStore> {
  const store = await SqliteStore.open(folder, 'production', { inThreads: false })
  t.after(() => store.close())
  return store
}

/** Starts a service on the store and stops it, in this process. */
async function serveBriefly(t: TestContext, folder: string): Promise<void> {
  const service = await startTestService(t, { backend: 'embedded', config: { dataFolder: folder } })
  await service.close()
}

function onFreePorts(folder: string): Record<string, string> {
  return { PETSTORE_DATA: folder, PETSTORE_PORT: '0', PETSTORE_OPERATOR_PORT: '0' }
}

async function fill(folder: string, animals = 1): Promise<void> {
  prepareDatabase(folder, 'production')
  execute(
    databaseFile(folder),
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${animals})
     INSERT INTO pet (name, category_id, status) SELECT 'Rex ' || i, i, 'available' FROM n`,
  )
}
