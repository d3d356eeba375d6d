import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { chmod, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/support/folder.ts'
import { UserError } from '../domain/errors.ts'
import { backupBeforeUpgrade } from './backup/before-upgrade.ts'
import { identifyStore } from './backup/inspect.ts'
import { connect, open } from './connection.ts'
import { databaseFile, ensureNotStoreFile } from './data-folder/store-files.ts'
import { prepareDatabase } from './prepare-database.ts'
import { lockForServing } from './serving-lock.ts'
import { APPLICATION_ID, MIGRATIONS, runMigrations } from './store-version.ts'

test('a file that is not a store is reported in one line, and left unchanged', async t => {
  const folder = await temporaryFolder(t)
  const file = databaseFile(folder)
  const refuses = (words: RegExp) => {
    const content = readFileSync(file)
    assert.throws(
      () => prepareDatabase(folder, 'production'),
      (error: Error) => error instanceof UserError && words.test(error.message) && !error.message.includes('\n'),
    )
    assert.deepEqual(readFileSync(file), content)
  }
  const noStore = /^The file .*petstore\.db is not a Petstore store\.$/
  writeFileSync(file, 'a letter to a friend, rather long, so that it could be a page of something'.repeat(100))
  refuses(noStore)
  writeFileSync(file, 'short')
  refuses(noStore)
  for (const sql of [
    'CREATE TABLE other (x)',
    'CREATE TABLE other (x); PRAGMA user_version = 1',
    'PRAGMA application_id = 7; VACUUM',
    'CREATE TABLE store (x); PRAGMA user_version = 2',
    'CREATE TABLE store (x); CREATE TABLE account (x); CREATE TABLE api_key (x); CREATE TABLE pet (x)',
  ]) {
    writeFileSync(file, '')
    execute(file, sql)
    refuses(noStore)
  }
})

test('the tables are not migrated while a service of an older version is running', async t => {
  const folder = await temporaryFolder(t)
  makeFirstVersion(folder)
  const open = connect(databaseFile(folder))
  t.after(() => open.close())
  open.prepare('SELECT count(*) FROM pet').get()
  const older = new DatabaseSync(join(folder, 'serving.lock'))
  older.exec('BEGIN EXCLUSIVE')
  assert.throws(() => prepareDatabase(folder, 'production'), /^UserError: A service of an older version is running/)
  assert.equal(markOf(databaseFile(folder)), 0)
  assert.ok(!existsSync(backupBeforeUpgrade(databaseFile(folder), 1)), 'nor backed up by each command')
  older.close()
  // The starting service already has the lock.
  t.after(lockForServing(folder))
  prepareDatabase(folder, 'production')
  assert.equal(markOf(databaseFile(folder)), APPLICATION_ID)
})

test('a store of this version is opened while another process writes to it', async t => {
  const folder = await temporaryFolder(t)
  prepareDatabase(folder, 'production')
  using other = connect(databaseFile(folder))
  other.exec('BEGIN IMMEDIATE')
  prepareDatabase(folder, 'production')
})

test('a store of the other deployment is not migrated', async t => {
  const folder = await temporaryFolder(t)
  makeFirstVersion(folder)
  const before = readFileSync(databaseFile(folder))
  assert.throws(() => prepareDatabase(folder, 'staging'), /^UserError: .*belongs to production/)
  assert.deepEqual(readFileSync(databaseFile(folder)), before)
})

test('a store has the mark of this program, even if it was made before there was one', async t => {
  const folder = await temporaryFolder(t)
  const file = databaseFile(folder)
  prepareDatabase(folder, 'production')
  assert.equal(markOf(file), APPLICATION_ID)

  const old = await temporaryFolder(t)
  makeFirstVersion(old)
  prepareDatabase(old, 'production')
  assert.equal(markOf(databaseFile(old)), APPLICATION_ID)

  execute(file, 'PRAGMA application_id = 0')
  prepareDatabase(folder, 'production')
})

test('a failed migration reports its own error, even if SQLite has ended the transaction', async t => {
  const folder = await temporaryFolder(t)
  const module = JSON.stringify(new URL('prepare-database.ts', import.meta.url))
  const script = `
    const { prepareDatabase } = await import(${module})
    try { prepareDatabase(${JSON.stringify(folder)}, 'production') } catch (error) { console.log(error.name, error.message) }`
  // Space for the index of the log, and for its first page.
  const limited = ['-c', 'ulimit -f 80; exec "$0" "$@"', process.execPath, '--input-type=module', '--eval', script]
  const child = spawn('sh', limited, { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  assert.match(
    await text(child.stdout),
    /^UserError The store .*petstore\.db cannot be opened or read: disk I\/O error\.\n$/,
  )
  prepareDatabase(folder, 'production')
})

test('only the user may read the files that this program creates; existing files keep their mode', async t => {
  const before = process.umask(0)
  t.after(() => process.umask(before))
  const folder = await temporaryFolder(t)
  const file = databaseFile(folder)
  prepareDatabase(folder, 'production')
  const database = connect(file)
  database.exec('UPDATE revision SET corrections = 1')
  for (const name of ['petstore.db', 'petstore.db-wal', 'petstore.db-shm']) {
    assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600, name)
  }
  database.close()
  await chmod(file, 0o640)
  prepareDatabase(folder, 'production')
  assert.equal((await stat(file)).mode & 0o777, 0o640)
})

test('several processes can create a store at once', async t => {
  const module = JSON.stringify(new URL('prepare-database.ts', import.meta.url))
  const folder = await temporaryFolder(t)
  const folders = Array.from({ length: 25 }, (_, index) => join(folder, String(index)))
  const script = `
    import { prepareDatabase } from ${module}
    for (const folder of ${JSON.stringify(folders)}) prepareDatabase(folder, 'production')`
  const exits = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const child = spawn(process.execPath, ['--eval', script], { stdio: 'inherit' })
      t.after(() => child.kill('SIGKILL'))
      const [code] = await once(child, 'exit')
      return code
    }),
  )
  assert.deepEqual(exits, [0, 0, 0, 0])
  for (const made of folders) {
    // Two that end at the same moment may each leave the log to the other.
    const rest = (await readdir(made)).filter(name => !/^petstore\.db(-wal|-shm|\.known)?$/.test(name))
    assert.deepEqual(rest, [])
    assert.equal(Number(pragma(databaseFile(made), 'user_version')), MIGRATIONS.length)
  }
})

function markOf(file: string): number {
  return Number(pragma(file, 'application_id'))
}

function pragma(file: string, name: string): unknown {
  const database = new DatabaseSync(file)
  try {
    return database.prepare(`PRAGMA ${name}`).get()?.[name]
  } finally {
    database.close()
  }
}

function execute(file: string, sql: string): void {
  const database = new DatabaseSync(file)
  database.exec(sql)
  database.close()
}

/** A store from the first version of this program. */
function makeFirstVersion(folder: string): void {
  execute(
    databaseFile(folder),
    `${readFileSync(new URL('migrations/0001_initial.sql', import.meta.url))};
     INSERT INTO store (deployment, cursor_secret) VALUES ('production', x'00'); PRAGMA user_version = 1`,
  )
}

test('before a store is upgraded, it is backed up next to itself; commands do not overwrite that file', async t => {
  const folder = await temporaryFolder(t)
  const file = databaseFile(folder)
  cpSync(new URL('../../test/release/store-1.0.0.db', import.meta.url), file)
  const { version } = identifyStore(file)
  prepareDatabase(folder, 'production')
  const backup = backupBeforeUpgrade(file, version)
  assert.deepEqual([identifyStore(backup).version, identifyStore(file).version], [version, MIGRATIONS.length])
  assert.throws(() => ensureNotStoreFile(folder, backup), { message: /belongs to the store; choose another name\.$/ })
  const made = statSync(backup).mtimeMs
  prepareDatabase(folder, 'production')
  assert.equal(statSync(backup).mtimeMs, made, 'a store of this version needs none')
})

test('names that an older version folded are folded again, and indexed again', async t => {
  const folder = await temporaryFolder(t)
  const names = ['Rex', 'O\u2019Malley', 'Zo\u200be', "O'Malley"]
  const folded = ['REX', 'O\u2019MALLEY', 'ZO\u200bE', "O'MALLEY"]
  const rows = names.map(
    (name, index) =>
      `(${index + 1}, '${sql(name)}', 1, 'available', pet_checksum('${sql(name)}', 1, 'available'), '${sql(folded[index] ?? '')}')`,
  )
  {
    using older = open(databaseFile(folder))
    runMigrations(older, 0, 10)
    older.exec(
      `INSERT INTO store (deployment, cursor_secret) VALUES ('production', x'00');
       INSERT INTO pet (id, name, category_id, status, checksum, search_name) VALUES ${rows.join(', ')};
       INSERT INTO pet_search (rowid, search_name) SELECT id, search_name FROM pet WHERE id <= 2;
       UPDATE pet_progress SET indexed_to = 2; PRAGMA user_version = 10`,
    )
  }
  prepareDatabase(folder, 'production')
  using database = connect(databaseFile(folder))
  const read = (select: string) =>
    database
      .prepare(select)
      .all()
      .map(row => Object.values(row)[0])
  assert.deepEqual(read('SELECT search_name FROM pet ORDER BY id'), ['REX', "O'MALLEY", 'ZOE', "O'MALLEY"])
  assert.deepEqual(read('SELECT name FROM pet ORDER BY id'), names)
  assert.deepEqual(read('SELECT id FROM pet_renamed'), [2n], 'the others are unchanged, or not yet in the index')
})

function sql(text: string): string {
  return text.replaceAll("'", "''")
}
