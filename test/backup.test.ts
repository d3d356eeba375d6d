import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { chmod, lstat, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { backUp } from '../src/app/backup-restore.ts'
import { parseConfig } from '../src/app/config.ts'
import { createAccount } from '../src/domain/administration/accounts.ts'
import { issueKey as issueKeyOf } from '../src/domain/administration/keys.ts'
import type { Pet } from '../src/domain/pet.ts'
import { restoreStore } from '../src/sqlite/backup/restore.ts'
import { connect } from '../src/sqlite/connection.ts'
import { markMoved } from '../src/sqlite/data-folder/moved-marker.ts'
import { databaseFile, indexFile } from '../src/sqlite/data-folder/store-files.ts'
import { lockForServing } from '../src/sqlite/serving-lock.ts'
import { SqliteStore } from '../src/sqlite/store.ts'
import { adminContext } from './support/admin-context.ts'
import { PROGRAM, runCommand } from './support/command-line.ts'
import { execute, scribble } from './support/database.ts'
import { eventually } from './support/eventually.ts'
import { temporaryFolder } from './support/folder.ts'
import { runInTurn } from './support/shared-command-process.ts'
import { serve } from './support/store-commands.ts'

const REX = { name: 'Rex', categoryId: 7n, status: 'available' } as const
const NOW = Date.UTC(2027, 2, 1, 12)

test('a backup made during creations has everything that was acknowledged before it began, unchanged, and works when restored', async t => {
  const folder = await temporaryFolder(t)
  const { file, restored } = places(await temporaryFolder(t))
  const key = await issueKey(folder)
  const service = await serve(t, folder)
  const call = (path: string, init: RequestInit = {}, base = service.baseUrl) =>
    fetch(base + path, { ...init, headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' } })

  const answered = new Map<number, object>()
  let stopped = false
  const lanes = Array.from({ length: 16 }, async (_, lane) => {
    for (let round = 0; !stopped; round += 1) {
      const body = JSON.stringify({ name: `animal ${round} of ${lane} 🐕`, categoryId: round, status: 'pending' })
      const response = await call('/pets', { method: 'POST', body })
      assert.equal(response.status, 201)
      const pet = (await response.json()) as { id: number }
      answered.set(pet.id, pet)
    }
  })
  await eventually(() => assert.ok(answered.size > 300))
  const before = new Map(answered)
  const backup = await runCommand(['backup', file, '--json'], { PETSTORE_DATA: folder })
  const during = answered.size - before.size
  const sizeAtEnd = answered.size
  await eventually(() => assert.ok(answered.size > sizeAtEnd, 'the service keeps running'))
  stopped = true
  await Promise.all(lanes)
  await service.stop()

  assert.deepEqual([backup.code, backup.stderr], [0, ''])
  assert.ok(during > 0, 'animals were created while the backup was made')
  const report = JSON.parse(backup.stdout)
  assert.ok(report.animals >= before.size)
  assert.equal(report.newestAnimalId, report.animals)
  assert.deepEqual([report.file, report.deployment, report.accounts, report.keys], [file, 'production', 1, 1])
  assert.equal(report.bytes, (await stat(file)).size)

  const restoring = await runCommand(['restore', file], { PETSTORE_DATA: restored })
  assert.equal(restoring.code, 0)
  assert.doesNotMatch(restoring.stdout, /upgraded/)
  const store = await SqliteStore.open(restored, 'production', { inThreads: false })
  const { pets } = await store.listPets({ status: undefined, afterId: 0n, limit: 1_000_000 })
  await store.close()
  assert.equal(pets.length, report.animals)
  const held = new Map(pets.map(pet => [Number(pet.id), plain(pet)]))
  for (const [id, pet] of before) assert.deepEqual(held.get(id), pet)
  for (const [id, pet] of held) if (answered.has(id)) assert.deepEqual(pet, answered.get(id))

  const again = await serve(t, restored)
  const last = await call(`/pets/${report.newestAnimalId}`, {}, again.baseUrl)
  assert.deepEqual(await last.json(), answered.get(report.newestAnimalId), 'the key works, and the animal is there')
  const next = await call('/pets', { method: 'POST', body: '{"name":"next","categoryId":1}' }, again.baseUrl)
  assert.equal(((await next.json()) as { id: number }).id, report.newestAnimalId + 1)
  await again.stop()
})

test('the id of an animal deleted before the backup is not given again after the restore', async t => {
  const folder = await temporaryFolder(t)
  const { file, restored } = places(await temporaryFolder(t))
  await fill(folder, 3)
  write(folder, 'DELETE FROM pet WHERE id = 3')
  const report = JSON.parse((await runCommand(['backup', file, '--json'], { PETSTORE_DATA: folder })).stdout)
  assert.deepEqual([report.animals, report.newestAnimalId], [2, 3])
  await runCommand(['restore', file], { PETSTORE_DATA: restored })
  assert.deepEqual(await fill(restored, 1), [4n])
})

test('a backup is a single file that only its owner can read', async t => {
  const folder = await temporaryFolder(t)
  const place = await temporaryFolder(t)
  const open = await SqliteStore.open(folder, 'production', { inThreads: false })
  t.after(() => open.close())
  await open.createPet(REX, NOW)
  assert.ok((await stat(`${databaseFile(folder)}-wal`)).size > 0, 'the animal is in the log')
  const { code, stdout } = await runCommand(['backup', join(place, 'b.db')], { PETSTORE_DATA: folder })
  assert.equal(code, 0)
  assert.match(stdout, /^animals +1$/m)
  assert.match(stdout, /[\d.]+ KiB/)
  assert.deepEqual(await readdir(place), ['b.db'])
  assert.equal((await stat(join(place, 'b.db'))).mode & 0o777, 0o600)
  const alone = new DatabaseSync(join(place, 'b.db'), { readOnly: true })
  assert.equal(alone.prepare('PRAGMA journal_mode').get()?.journal_mode, 'delete')
  assert.equal(alone.prepare('SELECT count(*) AS pets FROM pet').get()?.pets, 1)
  alone.close()
})

test('a backup changes nothing in the folder of a store that no process has open', async t => {
  const folder = await temporaryFolder(t)
  await fill(folder, 1)
  const [files, content] = [await readdir(folder), readFileSync(databaseFile(folder))]
  assert.equal(
    (await runCommand(['backup', join(await temporaryFolder(t), 'b.db')], { PETSTORE_DATA: folder })).code,
    0,
  )
  assert.deepEqual(await readdir(folder), files)
  assert.deepEqual(readFileSync(databaseFile(folder)), content)
})

test('a backup replaces a file only with --force, and never a file of the store', async t => {
  const folder = await temporaryFolder(t)
  const place = await temporaryFolder(t)
  await fill(folder, 1)
  const settings = { PETSTORE_DATA: folder }
  const file = join(place, 'b.db')
  writeFileSync(file, 'something valuable')
  assertUserError(await runCommand(['backup', file], settings), /already exists.*--force/)
  assert.equal(readFileSync(file, 'utf8'), 'something valuable')
  assert.equal((await runCommand(['backup', file, '--force'], settings)).code, 0)
  writeFileSync(`${file}-wal`, 'of another file')
  const refusals: Refusals = [
    [['backup', place, '--force'], /is not a file; choose another name/],
    [['backup', databaseFile(folder), '--force'], /belongs to the store; choose another name/],
    [['backup', join(place, 'none', 'b.db')], /The file \S+\/none\/b\.db cannot be written \(no such file or folder\)/],
    [['backup', file, '--force'], /would be read as part of the backup/],
  ]
  await assertUserErrors(refusals, settings)
  assert.deepEqual((await readdir(place)).sort(), ['b.db', 'b.db-wal'])
  await rename(`${file}-wal`, `${file}-journal`)
  assertUserError(await runCommand(['backup', file, '--force'], settings), /b\.db-journal would be read as part/)
})

test('a backup follows a link to a file, but not a broken link or one to the store', async t => {
  const folder = await temporaryFolder(t)
  const place = await temporaryFolder(t)
  await fill(folder, 1)
  const settings = { PETSTORE_DATA: folder }
  const [file, link] = [join(place, 'b.db'), join(place, 'latest.db')]
  symlinkSync(file, link)
  assertUserError(await runCommand(['backup', link, '--force'], settings), /latest\.db is a broken link/)
  writeFileSync(file, '')
  assert.equal((await runCommand(['backup', link, '--force'], settings)).code, 0)
  assert.ok((await lstat(link)).isSymbolicLink() && (await stat(file)).size > 0)
  symlinkSync(databaseFile(folder), join(place, 'own.db'))
  assertUserError(
    await runCommand(['backup', join(place, 'own.db'), '--force'], settings),
    /belongs to the store; choose another name/,
  )
})

test('a folder that cannot be read, or is not a folder, is reported as such', async t => {
  const folder = await temporaryFolder(t)
  await fill(folder, 1)
  await chmod(folder, 0)
  // Permissions do not apply to root.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const child = execFile(process.execPath, [PROGRAM, 'backup', '/tmp/b.db'], {
    env: { PETSTORE_DATA: folder },
    ...user,
  })
  let words = ''
  child.stderr?.on('data', chunk => {
    words += chunk
  })
  await once(child, 'close')
  assert.match(words, /^error: The file \S+petstore\.db cannot be read \(permission denied\)\.\n$/)
  await chmod(folder, 0o700)
  const file = databaseFile(folder)
  assertUserError(
    await runCommand(['restore', file], { PETSTORE_DATA: file }),
    /petstore\.db is not a folder; set PETSTORE_DATA/,
  )
})

test('a backup of a missing store says so, and creates neither a store nor a file', async t => {
  const folder = join(await temporaryFolder(t), 'data')
  const file = join(await temporaryFolder(t), 'b.db')
  assertUserError(await runCommand(['backup', file], { PETSTORE_DATA: folder }), /There is no store in .*PETSTORE_DATA/)
  assert.ok(!existsSync(folder))
  await mkdir(folder)
  assertUserError(await runCommand(['backup', file], { PETSTORE_DATA: folder }), /There is no store in/)
  assert.deepEqual(await readdir(folder), [])
})

test('a store that is damaged, or belongs to the other deployment, cannot be backed up', async t => {
  const folder = await temporaryFolder(t)
  const place = await temporaryFolder(t)
  await fill(folder, 500)
  const staging = { PETSTORE_DATA: folder, PETSTORE_DEPLOYMENT: 'staging' }
  assertUserError(await runCommand(['backup', join(place, 'b.db')], staging), /belongs to production/)
  write(folder, 'PRAGMA foreign_keys = OFF; INSERT INTO account_count (account_id) VALUES (99)')
  const refused = await runCommand(['backup', join(place, 'b.db')], { PETSTORE_DATA: folder })
  assertUserError(refused, /damaged \(a row of account_count refers to a missing row of account\)/)
  scribble(databaseFile(folder))
  assertUserError(
    await runCommand(['backup', join(place, 'b.db')], { PETSTORE_DATA: folder }),
    /damaged|not a Petstore/,
  )
  assert.deepEqual(await readdir(place), [])
})

test('a backup that is stopped, or runs out of room, leaves no file', async t => {
  const folder = await temporaryFolder(t)
  const place = await temporaryFolder(t)
  await fill(folder, 1)
  write(
    folder,
    `INSERT INTO pet (name, category_id, status) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600000)
     SELECT 'animal ' || i || ' of many, with a name that takes some room', i, 'available' FROM n`,
  )
  const file = join(place, 'b.db')
  for (const signal of ['SIGINT', 'SIGHUP'] as const) {
    let ending: unknown[]
    do {
      await rm(file, { force: true })
      const child = spawn(process.execPath, [PROGRAM, 'backup', file], {
        env: { PETSTORE_DATA: folder },
        stdio: 'ignore',
      })
      t.after(() => child.kill('SIGKILL'))
      const exited = once(child, 'exit')
      await eventually(async () => {
        const [partial] = await readdir(place)
        assert.ok(partial && (await stat(join(place, partial))).size > 0)
      })
      child.kill(signal)
      ending = await exited
      // On a busy machine, the backup may be complete before this process sees it.
    } while (existsSync(file))
    assert.deepEqual(ending, [null, signal])
    assert.deepEqual(await readdir(place), [])
  }

  const limited = spawn('sh', ['-c', `ulimit -f 2000; exec "$0" "$@"`, process.execPath, PROGRAM, 'backup', 'b.db'], {
    env: { PETSTORE_DATA: folder },
    cwd: place,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let words = ''
  limited.stderr.on('data', chunk => {
    words += chunk
  })
  assert.deepEqual(await once(limited, 'close'), [1, null])
  assert.match(words, /^error: .*(disk of|copied to) b\.db[^\n]+\n$/)
  assert.deepEqual(await readdir(place), [])
})

test('a restore checks the file before it changes anything', async t => {
  const folder = await temporaryFolder(t)
  const place = await temporaryFolder(t)
  const { file, restored } = places(place)
  const settings = { PETSTORE_DATA: restored }
  await fill(folder, 500)
  await makeBackup(folder, file)
  const spoilt = (name: string, spoil: (path: string) => void) => {
    cpSync(file, join(place, name))
    spoil(join(place, name))
    return join(place, name)
  }
  const damaged = spoilt('damaged.db', scribble)
  const newer = spoilt('newer.db', path => execute(path, 'PRAGMA user_version = 999'))
  const foreign = spoilt('foreign.db', path => execute(path, 'PRAGMA application_id = 1'))
  const text = spoilt('text.db', path => writeFileSync(path, 'no store at all'))
  const refusals: readonly (readonly [path: string, words: RegExp])[] = [
    [damaged, /damaged/],
    [newer, /version 999.*newer/],
    [foreign, /is not a Petstore store/],
    [text, /is not a Petstore store/],
    [join(place, 'none.db'), /There is no file/],
  ]
  await assertUserErrors(
    refusals.map(([path, words]) => [['restore', path], words]),
    settings,
  )
  const staging = { ...settings, PETSTORE_DEPLOYMENT: 'staging' }
  assertUserError(await runCommand(['restore', file], staging), /belongs to production/)
  assert.ok(!existsSync(restored))
})

test('damage in a backup is reported with the name of the file, and the store stays as it was', async t => {
  const place = await temporaryFolder(t)
  const { file, restored } = places(place)
  await fill(restored, 2)
  await makeBackup(restored, file)
  execute(file, 'PRAGMA foreign_keys = OFF; INSERT INTO account_count (account_id) VALUES (99)')
  const { stderr, code } = await runCommand(['restore', file, '--force'], { PETSTORE_DATA: restored })
  assert.equal(code, 1)
  assert.ok(stderr.startsWith(`error: The store ${file} is damaged (a row of account_count`), stderr)
  assert.deepEqual((await readdir(restored)).sort(), ['petstore.db', 'petstore.db.known'])
  assert.deepEqual(await fill(restored, 1), [3n])
  const missing = join(place, 'missing')
  assert.equal((await runCommand(['restore', file], { PETSTORE_DATA: missing })).code, 1)
  assert.ok(!existsSync(missing))
})

test('a restored store has no sessions or sign-in links, and its audit log says who restored it', async t => {
  const folder = await temporaryFolder(t)
  const { file, restored } = places(await temporaryFolder(t))
  await fill(folder, 3)
  write(
    folder,
    `INSERT INTO operator_token (id, hash, hint, name, role, created_at) VALUES (1, 'h', 'x', 'anna', 'admin', 0);
     INSERT INTO session (hash, token_id, expires_at) VALUES ('s', 1, ${2 ** 50});
     INSERT INTO sign_in_link (hash, token_id, expires_at) VALUES ('l', 1, ${2 ** 50})`,
  )
  const made = await runCommand(['backup', file], { PETSTORE_DATA: folder })
  assert.match(made.stdout, /^operator sessions +1$/m)
  const { stdout } = await runCommand(['restore', file, '--json'], { PETSTORE_DATA: restored })
  const { sessions, movedTo } = JSON.parse(stdout)
  assert.deepEqual([sessions, movedTo], [0, null])
  const count = 'SELECT count(*) AS links FROM sign_in_link'
  assert.equal(new DatabaseSync(databaseFile(restored)).prepare(count).get()?.links, 0)
  const [entry] = JSON.parse((await runCommand(['audit', '--json'], { PETSTORE_DATA: restored })).stdout)
  assert.deepEqual(
    [entry.action, entry.origin, entry.details],
    ['store.restore', 'command line', { file: 'backup.db', animals: 3 }],
  )
  assert.equal(new DatabaseSync(file).prepare('SELECT count(*) AS sessions FROM session').get()?.sessions, 1)
})

test('a restore is refused while a service runs, and while another process has the store open', async t => {
  const folder = await temporaryFolder(t)
  const { file } = places(await temporaryFolder(t))
  await fill(folder, 1)
  await makeBackup(folder, file)
  const release = lockForServing(folder)
  assertUserError(
    await runCommand(['restore', file, '--force'], { PETSTORE_DATA: folder }),
    /A service or petstore migrate-store is running on the folder \S+; stop it first\.\n/,
  )
  release()
  const open = connect(databaseFile(folder))
  open.prepare('SELECT count(*) FROM pet').get()
  assertUserError(await runCommand(['restore', file, '--force'], { PETSTORE_DATA: folder }), /has the store .* open/)
  open.close()
  assert.deepEqual((await readdir(folder)).sort(), ['petstore.db', 'petstore.db.known', 'serving.lock'])
  assert.equal((await runCommand(['restore', file, '--force'], { PETSTORE_DATA: folder })).code, 0)
})

test('a backup needs the name of a file: it is not written to standard output, nor to a file called -', async t => {
  const folder = await temporaryFolder(t)
  for (const command of ['backup', 'restore']) {
    const { code, stderr } = await runCommand([command, '-'], { PETSTORE_DATA: folder })
    assert.equal(code, 2)
    assert.match(stderr, /'-' is invalid .* It must be the name of a file; - is not supported here/)
  }
  assert.deepEqual(await readdir(folder), [])
})

test('a restored store is on the disk to which the file of the store is a link, and so is the one that is set aside', async t => {
  const [folder, disk] = [await temporaryFolder(t), await temporaryFolder(t)]
  const { file } = places(await temporaryFolder(t))
  symlinkSync(join(disk, 'store.db'), databaseFile(folder))
  await fill(folder, 1)
  await makeBackup(folder, file)
  write(folder, "UPDATE pet SET name = 'changed since'")
  const { stdout } = await runCommand(['restore', file, '--force', '--json'], { PETSTORE_DATA: folder })
  const { movedTo } = JSON.parse(stdout)
  assert.deepEqual((await readdir(disk)).sort(), ['store.db', basename(movedTo)])
  assert.equal(dirname(movedTo), disk)
  assert.equal(readlinkSync(databaseFile(folder)), join(disk, 'store.db'))
  assert.deepEqual((await readdir(folder)).sort(), ['petstore.db', 'petstore.db.known', 'serving.lock'])

  await rm(disk, { recursive: true })
  const { code, stderr } = await runCommand(['restore', file, '--force'], { PETSTORE_DATA: folder })
  assert.deepEqual([code, readlinkSync(databaseFile(folder))], [1, join(disk, 'store.db')])
  assert.match(stderr, /^error: The store of \S+ is a link to \S+store\.db; mount its disk\.\n$/)
})

test('a restore that cannot forget the last store of the folder sets nothing aside', async t => {
  const folder = await temporaryFolder(t)
  const { file } = places(await temporaryFolder(t))
  await fill(folder, 1)
  await makeBackup(folder, file)
  await rm(`${databaseFile(folder)}.known`)
  await mkdir(`${databaseFile(folder)}.known/in-the-way`, { recursive: true })
  assert.equal((await runCommand(['restore', file, '--force'], { PETSTORE_DATA: folder })).code, 1)
  assert.deepEqual((await readdir(folder)).sort(), ['petstore.db', 'petstore.db.known'])
})

test('only --force sets an existing store aside, including what is in its log', async t => {
  const folder = await temporaryFolder(t)
  const { file } = places(await temporaryFolder(t))
  await fill(folder, 1)
  await makeBackup(folder, file)
  await fill(folder, 1)
  const source = await temporaryFolder(t)
  const writer = connect(databaseFile(folder))
  writer.exec("INSERT INTO pet (name, category_id, status) VALUES ('in the log', 1, 'sold')")
  for (const name of ['petstore.db', 'petstore.db-wal']) cpSync(join(folder, name), join(source, name))
  writer.close()

  mkdirSync(join(source, 'restoring-until-it-was-killed'))
  const settings = { PETSTORE_DATA: source }
  assertUserError(await runCommand(['restore', file], settings), /The store \S+ already exists; add --force/)
  const { code, stdout } = await runCommand(['restore', file, '--force', '--json'], settings)
  assert.equal(code, 0)
  const { movedTo, animals } = JSON.parse(stdout)
  assert.equal(animals, 1)
  assert.match(movedTo, /petstore\.db\.before-restore-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/)
  const moved = new DatabaseSync(movedTo, { readOnly: true })
  assert.deepEqual(
    moved
      .prepare('SELECT name FROM pet')
      .all()
      .map(({ name }) => name),
    ['Rex', 'Rex', 'in the log'],
  )
  moved.close()
  assert.equal((await stat(databaseFile(source))).mode & 0o777, 0o600)
  const left = (await readdir(source)).filter(name => !name.includes('before-restore'))
  assert.deepEqual(left.sort(), ['petstore.db', 'petstore.db.known', 'serving.lock'])
  assert.deepEqual(await fill(source, 1), [2n])
})

test('a store that cannot be read is set aside as it is, and a log without its store is not read as part of the backup', async t => {
  const folder = await temporaryFolder(t)
  const { file } = places(await temporaryFolder(t))
  await fill(folder, 2)
  await makeBackup(folder, file)
  writeFileSync(databaseFile(folder), 'rubbish')
  for (const suffix of ['-wal', '-journal']) writeFileSync(databaseFile(folder) + suffix, 'more of it')
  const { code, stdout, stderr } = await runCommand(['restore', file, '--force', '--json'], { PETSTORE_DATA: folder })
  assert.deepEqual([code, stderr], [0, ''])
  const { movedTo } = JSON.parse(stdout)
  assert.equal(readFileSync(movedTo, 'utf8'), 'rubbish')
  for (const suffix of ['-wal', '-journal']) assert.equal(readFileSync(movedTo + suffix, 'utf8'), 'more of it')

  writeFileSync(databaseFile(folder), 'SQLite format 3\0 and rubbish')
  assert.equal((await runCommand(['restore', file, '--force'], { PETSTORE_DATA: folder })).code, 0)
  await rm(databaseFile(folder))
  writeFileSync(`${databaseFile(folder)}-wal`, 'left alone')
  assert.equal((await runCommand(['restore', file], { PETSTORE_DATA: folder })).code, 0)
  assert.deepEqual(await fill(folder, 1), [3n])
})

test('the index of the log of a store that cannot be read does not prevent using the store that replaces it', async t => {
  const [folder, spoilt] = [await temporaryFolder(t), await temporaryFolder(t)]
  const { file } = places(await temporaryFolder(t))
  await fill(folder, 1)
  await makeBackup(folder, file)
  {
    using writer = connect(databaseFile(folder))
    writer.exec("INSERT INTO pet (name, category_id, status) VALUES ('in the log', 1, 'sold')")
    cpSync(indexFile(databaseFile(folder)), indexFile(databaseFile(spoilt)))
  }
  writeFileSync(databaseFile(spoilt), 'rubbish')
  assert.equal((await runCommand(['restore', file, '--force'], { PETSTORE_DATA: spoilt })).code, 0)
  assert.deepEqual(await fill(spoilt, 1), [2n])
})

test('stores that are set aside at the same moment are all kept', async t => {
  const folder = await temporaryFolder(t)
  const { file } = places(await temporaryFolder(t))
  await fill(folder, 1)
  await makeBackup(folder, file)
  const restorer = { actor: { name: 'anna', origin: 'command line' }, now: NOW }
  const names = new Set<string>()
  for (const _ of Array(2)) {
    const { movedTo = '' } = await restoreStore(folder, 'production', file, restorer, { force: true })
    assert.ok(existsSync(movedTo))
    names.add(movedTo)
  }
  assert.equal(names.size, 2)
})

test('not even with --force, a restore replaces a store that has been moved, or the store that it is to read', async t => {
  const folder = await temporaryFolder(t)
  const { file } = places(await temporaryFolder(t))
  await fill(folder, 1)
  await makeBackup(folder, file)
  const settings = { PETSTORE_DATA: folder }
  const itself = await runCommand(['restore', databaseFile(folder), '--force'], settings)
  assertUserError(itself, /is the store of \S+ itself; name a backup\./)
  markMoved(folder, NOW)
  assertUserError(await runCommand(['restore', file, '--force'], settings), /This store was moved to PostgreSQL/)
})

test('a backup of an older version is migrated when it is restored, and the backup stays as it is', async t => {
  const place = await temporaryFolder(t)
  const { file, restored } = places(place)
  const old = new DatabaseSync(file)
  old.exec(readFileSync(new URL('../src/sqlite/migrations/0001_initial.sql', import.meta.url), 'utf8'))
  old.exec(`INSERT INTO store (deployment, cursor_secret) VALUES ('production', x'00'); PRAGMA user_version = 1;
    INSERT INTO pet (name, category_id, status) VALUES ('Rex', 7, 'sold')`)
  old.close()
  const content = readFileSync(file)
  const { code, stdout } = await runCommand(['restore', file, '--json'], { PETSTORE_DATA: restored })
  assert.equal(code, 0)
  const { fromVersion, version, animals } = JSON.parse(stdout)
  assert.ok(version > 1)
  assert.deepEqual([fromVersion, animals], [1, 1])
  assert.deepEqual(readFileSync(file), content)
  assert.deepEqual(await fill(restored, 1), [2n])
})

function places(folder: string) {
  return { file: join(folder, 'backup.db'), restored: join(folder, 'restored') }
}

/** Creates this many animals, and returns their ids. */
async function fill(folder: string, count: number): Promise<bigint[]> {
  const store = await SqliteStore.open(folder, 'production', { inThreads: false })
  const creations = await Promise.all(Array.from({ length: count }, () => store.createPet(REX, NOW)))
  await store.close()
  return creations.map(creation => ('pet' in creation ? creation.pet.id : 0n))
}

function write(folder: string, sql: string): void {
  execute(databaseFile(folder), sql)
}

async function issueKey(folder: string): Promise<string> {
  const store = await SqliteStore.open(folder, 'production', { inThreads: false })
  try {
    const one = adminContext(store, Date.now())
    await createAccount(one, { name: 'acme', plan: 'enterprise', limits: { perMinute: 1_000_000, perDay: 1_000_000 } })
    return (await issueKeyOf(one, { account: 'acme' })).key
  } finally {
    await store.close()
  }
}

/** Without a command. */
async function makeBackup(folder: string, file: string): Promise<void> {
  await backUp(parseConfig({ PETSTORE_DATA: folder }), file, Date.now(), { force: false })
}

type Refusals = readonly (readonly [commandLine: readonly string[], words: RegExp])[]

async function assertUserErrors(refusals: Refusals, settings: Record<string, string>): Promise<void> {
  const endings = await runInTurn(
    refusals.map(([commandLine]) => commandLine),
    settings,
  )
  assert.equal(endings.length, refusals.length)
  for (const [index, ending] of endings.entries()) assertUserError(ending, refusals[index]?.[1] ?? /$^/)
}

function plain({ id, name, categoryId, status }: Pet) {
  return { id: Number(id), name, categoryId: Number(categoryId), status }
}

function assertUserError(
  { code, stdout, stderr }: { code: number; stdout: string; stderr: string },
  words: RegExp,
): void {
  assert.match(stderr, words)
  assert.match(stderr, /^error: [^\n]+\n$/)
  assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
}
