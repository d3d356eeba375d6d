import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text as textOf } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { inReverse } from '../../../test/support/cleanup.ts'
import { ROUNDS } from '../../../test/support/duration-factor.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { temporaryFolder } from '../../../test/support/folder.ts'
import { DAY_MS, HOUR_MS } from '../../domain/time.ts'
import { partialFile } from '../../files/partial-file.ts'
import { readState } from '../backup/inspect.ts'
import { connect } from '../connection.ts'
import { databaseFile, logFile } from '../data-folder/store-files.ts'
import { prepareDatabase } from '../prepare-database.ts'
import { assemble } from './assemble.ts'
import { ChainWriter } from './chain-writer.ts'
import { ContinuousCopy } from './continuous-copy.ts'
import { chainFolder, listChains, planRestore } from './copy-folder.ts'

const MIB = 1_048_576
/** Higher than any id of a process. */
const NO_PROCESS = 999_999_999
const FAST = { lookEveryMs: 20, retryAfterMs: 100 }

test('the copy has everything that any process had written by the time that it reports', async t => {
  const copied = await startCopy(t)
  const writer = connect(copied.database)
  const other = connect(copied.database)
  t.after(() => {
    writer.close()
    other.close()
  })
  writer.exec('CREATE TABLE noise (id INTEGER PRIMARY KEY, body BLOB)')
  const insert = (database: DatabaseSync, rows: number, bytes: number) =>
    database.exec(
      `BEGIN; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
        INSERT INTO noise (body) SELECT randomblob(${bytes}) FROM n; COMMIT`,
    )
  const changes: (() => void)[] = [
    () => insert(writer, 3, 100),
    () => insert(other, 200, 500),
    () => insert(writer, 50, 20_000),
    () => insert(writer, 1_200, 4_000),
    () => writer.exec('UPDATE noise SET body = randomblob(300) WHERE id % 7 = 0'),
    () => other.exec('DELETE FROM noise WHERE id % 5 = 0'),
    () => other.exec('BEGIN; UPDATE noise SET body = NULL; ROLLBACK'),
    () => writer.exec('DELETE FROM noise WHERE id > (SELECT max(id) / 2 FROM noise); VACUUM'),
    () => checkpoint(other, 'TRUNCATE'),
    () => checkpoint(other, 'RESTART'),
  ]
  const write = async () => {
    for (let step = 0; step < 12; step += 1) {
      changes[Math.floor(Math.random() * changes.length)]?.()
      await new Promise(resolve => setTimeout(resolve, Math.random() * 60))
    }
    await copied.reaches(Date.now())
    assert.equal(await contentsOf(t, copied.folder), contentsOfFile(copied.database))
  }
  for (let round = 0; round < 2 * ROUNDS; round += 1) await write()
  assert.deepEqual(copied.failures, [])
  assert.equal(listChains(copied.folder).length, 1)
})

test('the log of a copied store is reused: it does not grow with every write', async t => {
  const copied = await startCopy(t)
  const writer = connect(copied.database)
  t.after(() => writer.close())
  await copied.reaches(Date.now())
  writer.exec('CREATE TABLE noise (id INTEGER PRIMARY KEY, body BLOB)')
  for (let part = 0; part < 3; part += 1) {
    writer.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
      INSERT INTO noise (body) SELECT randomblob(4000) FROM n`)
    await copied.reaches(Date.now())
  }
  assert.ok(statSync(copied.database).size > 22 * MIB)
  const { size } = statSync(logFile(copied.database))
  assert.ok(size < 20 * MIB, `${size} bytes`)
  assert.equal(await contentsOf(t, copied.folder), contentsOfFile(copied.database))
})

test('a restore to a point in time leaves out everything later', async t => {
  const copied = await startCopy(t)
  const writer = connect(copied.database)
  t.after(() => writer.close())
  const label = (text: string) => writer.exec(`INSERT OR REPLACE INTO category (id, label) VALUES (1, '${text}')`)
  const times: [string, number][] = []
  for (const text of ['first', 'second', 'third']) {
    label(text)
    await copied.reaches(Date.now())
    times.push([text, Date.now()])
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  for (const [text, at] of times) {
    const file = await assembled(t, copied.folder, at)
    using database = new DatabaseSync(file)
    assert.equal(database.prepare('SELECT label FROM category').get()?.label, text)
  }
  assert.throws(() => planRestore(copied.folder, Date.UTC(2020, 0)), { message: /begins at .*; name a later time\.$/ })
})

test('a copy that was cut short, changed or has a file missing is refused in one line that names a way out', async t => {
  const copied = await startCopy(t)
  const writer = connect(copied.database)
  for (const label of ['a', 'b', 'c']) {
    await copied.reaches(Date.now())
    writer.exec(`INSERT OR REPLACE INTO category (id, label) VALUES (1, '${label}')`)
  }
  await copied.reaches(Date.now())
  writer.close()
  await copied.copy.close()
  const { full, changes } = planRestore(copied.folder)
  const [one, two] = changes.slice(-2)
  assert.ok(one && two)

  const content = readFileSync(two.path)
  truncateSync(two.path, content.length - 1)
  const refusal = /^The file \S+\.changes of the copy is damaged; restore to (\S+), the time before it, with --at\.$/
  await assert.rejects(assembled(t, copied.folder), { name: 'UserError', message: refusal })
  const changed = Buffer.from(content)
  changed[content.length - 9] = (changed[content.length - 9] as number) ^ 1
  writeFileSync(two.path, changed)
  const error = await assembled(t, copied.folder).catch(reason => reason as Error)
  const [, before = ''] = refusal.exec((error as Error).message) ?? []
  await assembled(t, copied.folder, Date.parse(before))
  writeFileSync(two.path, content)
  await assembled(t, copied.folder)

  renameSync(one.path, `${one.path}.away`)
  assert.throws(() => planRestore(copied.folder), {
    name: 'UserError',
    message: /lacks changes number \d+; restore to the time before them with --at \S+Z\.$/,
  })
  renameSync(`${one.path}.away`, one.path)
  truncateSync(full.path, statSync(full.path).size - 4_096)
  await assert.rejects(assembled(t, copied.folder), { message: /\.full of the copy is damaged; / })
  rmSync(full.path)
  assert.throws(() => planRestore(copied.folder), { message: /^There is no complete copy of a store in / })
})

test('while the folder is gone, the store is written and its log stays bounded; then the copy begins again', async t => {
  const copied = await startCopy(t, { maxLogBytes: 2 * MIB })
  const writer = connect(copied.database)
  t.after(() => writer.close())
  await copied.reaches(Date.now())
  renameSync(copied.folder, `${copied.folder}-away`)
  writer.exec('CREATE TABLE noise (id INTEGER PRIMARY KEY, body BLOB)')
  for (let part = 0; part < 8; part += 1) {
    writer.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
      INSERT INTO noise (body) SELECT randomblob(4000) FROM n`)
  }
  await eventually(() => assert.match(String(copied.failures.at(-1)), /no such file or folder|There is no folder/))
  // The failed chain no longer holds the log.
  await eventually(() => {
    writer.exec('UPDATE noise SET body = randomblob(10) WHERE id = 1; PRAGMA wal_checkpoint(PASSIVE)')
    const [, frames, written] = Object.values(writer.prepare('PRAGMA wal_checkpoint(PASSIVE)').get() ?? {})
    assert.equal(written, frames)
  })
  mkdirSync(copied.folder)
  await eventually(() => assert.match(String(copied.failures.at(-1)), / is gone; is its disk mounted\?$/), 100)
  rmSync(copied.folder, { recursive: true })
  renameSync(`${copied.folder}-away`, copied.folder)
  await copied.reaches(Date.now())
  assert.equal(listChains(copied.folder).length, 2)
  assert.equal(await contentsOf(t, copied.folder), contentsOfFile(copied.database))
})

test('only the user may read the files of a copy', { skip: process.platform === 'win32' }, async t => {
  const copied = await startCopy(t)
  await copied.reaches(Date.now())
  const [chain] = listChains(copied.folder)
  assert.ok(chain && chain.files.length > 0)
  assert.equal(statSync(chain.folder).mode & 0o777, 0o700)
  for (const { path } of chain.files) assert.equal(statSync(path).mode & 0o777, 0o600, path)
})

test('a folder with the copy of another store is left unchanged', async t => {
  const first = await startCopy(t)
  await first.reaches(Date.now())
  const names = readdirSync(first.folder, { recursive: true })
  const second = await startCopy(t, { folder: first.folder })
  await eventually(() =>
    assert.match(String(second.failures.at(-1)), /has a copy of another store; set PETSTORE_COPY_TO/),
  )
  await second.copy.close()
  assert.deepEqual(readdirSync(first.folder, { recursive: true }), names)
})

test('after the clock was set back, the copy continues', { timeout: 60_000 }, async t => {
  const [data, folder] = [await temporaryFolder(t), await temporaryFolder(t)]
  const mark = join(data, 'set-back')
  const setBack = `import { existsSync } from 'node:fs'
    const { now } = Date
    Date.now = () => now() - (existsSync(${JSON.stringify(mark)}) ? ${HOUR_MS} : 0)`
  const script = `
    import { writeFileSync } from 'node:fs'
    import { readState } from ${urlOf('../backup/inspect.ts')}
    import { connect } from ${urlOf('../connection.ts')}
    import { prepareDatabase } from ${urlOf('../prepare-database.ts')}
    import { ContinuousCopy } from ${urlOf('continuous-copy.ts')}
    prepareDatabase(${JSON.stringify(data)}, 'production')
    const database = ${JSON.stringify(databaseFile(data))}
    const served = connect(database)
    served.prepare('SELECT * FROM store').get()
    const { store } = readState(database)
    const task = { database, store, deployment: 'production', folder: ${JSON.stringify(folder)}, lookEveryMs: 20 }
    let copies = 0
    const copied = () => {
      copies += 1
      if (copies === 1) writeFileSync(${JSON.stringify(mark)}, '')
      if (copies === 4) process.stdout.write('continues', () => process.exit())
    }
    new ContinuousCopy({ ...task, everySeconds: 0, days: 7 }, { copied, copyFailed: console.error })
    setTimeout(() => process.exit(1), 10_000)`
  const options = ['--import', `data:text/javascript,${encodeURIComponent(setBack)}`]
  const child = spawn(process.execPath, [...options, '--eval', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  assert.equal(await textOf(child.stdout), 'continues')
})

test('after the clock was set back, a restart continues with a chain that is newer than those before', async t => {
  const first = await startCopy(t)
  await first.reaches(Date.now())
  await first.copy.close()
  const [old] = listChains(first.folder)
  assert.ok(old)
  renameSync(old.folder, chainFolder(first.folder, { ...old, startedAt: Date.now() + HOUR_MS }))
  using writer = connect(first.database)
  writer.exec("INSERT INTO category (id, label) VALUES (1, 'of the restart')")
  const second = await startCopy(t, first)
  await second.reaches(Date.now())
  assert.equal(await contentsOf(t, second.folder), contentsOfFile(second.database))
})

test('old files stay until the service names a time that it trusts', async t => {
  const { data, folder, copy, reaches } = await startCopy(t)
  await reaches(Date.now())
  await copy.close()
  const [old] = listChains(folder)
  assert.ok(old)
  const next = await startCopy(t, { data, folder })
  await next.reaches(Date.now() + 100)
  assert.deepEqual(
    listChains(folder).map(chain => chain.startedAt === old.startedAt),
    [true, false],
  )
  next.copy.prune(Date.now() + 400 * DAY_MS)
  await eventually(() => assert.ok(listChains(folder).every(chain => chain.startedAt > old.startedAt)))
})

test('a file has nothing that was committed after its time, also when the copy had to wait for a writer', async t => {
  const data = await temporaryFolder(t)
  prepareDatabase(data, 'production')
  using writer = connect(databaseFile(data))
  writer.exec("BEGIN IMMEDIATE; INSERT INTO category (id, label) VALUES (1, 'late')")
  const copied = await startCopy(t, { data })
  // The first full copy waits for the writer.
  await eventually(() => assert.equal(listChains(copied.folder).length, 1))
  await sleep(200)
  const committedAfter = Date.now()
  writer.exec('COMMIT')
  await copied.reaches(committedAfter)
  const [chain] = listChains(copied.folder)
  for (const { path, at } of chain?.files ?? []) assert.ok(at >= committedAfter, `${path} is older`)
})

test('a partial write of a killed service is removed from its chains by the next one', async t => {
  const first = await startCopy(t)
  await first.reaches(Date.now())
  await first.copy.close()
  const [chain] = listChains(first.folder)
  assert.ok(chain)
  const ofKilled = partialFile(join(chain.folder, 'full')).replace(`-${process.pid}-`, `-${NO_PROCESS}-`)
  const ofRunning = partialFile(join(chain.folder, 'full'))
  for (const part of [ofKilled, ofRunning]) writeFileSync(part, '')
  const second = await startCopy(t, first)
  await second.reaches(Date.now())
  assert.deepEqual(
    [ofKilled, ofRunning].map(part => existsSync(part)),
    [false, true],
  )
})

test('an abandoned chain releases the log, and does not complete its full copy', async t => {
  const [data, folder] = [await temporaryFolder(t), await temporaryFolder(t)]
  prepareDatabase(data, 'production')
  using writer = connect(databaseFile(data))
  insertNoise(writer, 5_000)
  const chain = { store: readState(databaseFile(data)).store, deployment: 'production', startedAt: 0 } as const
  const given = new ChainWriter(databaseFile(data), folder, chain)
  given.tidy()
  const ended = given.giveUp()
  await ended
  assert.deepEqual(readdirSync(given.folder), [])
  insertNoise(writer, 1)
  assert.equal(writer.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy, 0n)
})

/** Checkpoints as another process may, without waiting for readers such as the copy. */
function checkpoint(database: DatabaseSync, mode: 'TRUNCATE' | 'RESTART'): void {
  database.exec('PRAGMA busy_timeout = 20')
  database.prepare(`PRAGMA wal_checkpoint(${mode})`).all()
  database.exec('PRAGMA busy_timeout = 5000')
}

function urlOf(module: string): string {
  return JSON.stringify(new URL(module, import.meta.url))
}

function insertNoise(database: DatabaseSync, rows: number): void {
  database.exec('CREATE TABLE IF NOT EXISTS noise (id INTEGER PRIMARY KEY, body BLOB)')
  database.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
    INSERT INTO noise (body) SELECT randomblob(4000) FROM n`)
}

interface Copied {
  data: string
  database: string
  folder: string
  copy: ContinuousCopy
  failures: string[]
  /** Waits until everything that was committed before is in the copy. */
  reaches(time: number): Promise<void>
}

interface Options {
  folder?: string
  data?: string
  maxLogBytes?: number
}

async function startCopy(test: TestContext, options: Options = {}): Promise<Copied> {
  const t = inReverse(test)
  const data = options.data ?? (await temporaryFolder(t))
  const folder = options.folder ?? join(await temporaryFolder(t), 'copy')
  mkdirSync(folder, { recursive: true })
  prepareDatabase(data, 'production')
  const database = databaseFile(data)
  // As the service does: the log exists as long as this is open.
  const served = connect(database)
  served.prepare('SELECT * FROM store').get()
  let copiedTo = 0
  const failures: string[] = []
  const task = { database, store: readState(database).store, deployment: 'production', folder } as const
  const copy = new ContinuousCopy(
    { ...task, ...FAST, everySeconds: 0, days: 7, ...(options.maxLogBytes && { maxLogBytes: options.maxLogBytes }) },
    {
      copied(to) {
        copiedTo = to
      },
      copyFailed: message => void failures.push(message),
    },
  )
  t.after(async () => {
    await copy.close()
    served.close()
  })
  const reaches = (time: number) =>
    eventually(() => assert.ok(copiedTo > time, `copied until ${copiedTo}; ${failures.at(-1) ?? 'no failure'}`))
  return { data, database, folder, copy, failures, reaches }
}

async function assembled(t: TestContext, folder: string, at?: number): Promise<string> {
  const file = join(await temporaryFolder(t), 'assembled.db')
  await assemble(planRestore(folder, at), file)
  return file
}

async function contentsOf(t: TestContext, copyFolder: string): Promise<string> {
  return contentsOfFile(await assembled(t, copyFolder))
}

/** A digest of every table, and the problems that SQLite finds. */
function contentsOfFile(file: string): string {
  using database = new DatabaseSync(file)
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all()
  const { integrity_check } = database.prepare('PRAGMA integrity_check').get() as { integrity_check: string }
  const hex = (_key: string, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value
  const digests = tables
    .map(({ name }) => String(name))
    .filter(name => !name.startsWith('pet_search'))
    .map(name => {
      const rows = database.prepare(`SELECT * FROM ${name} ORDER BY 1`).all()
      const digest = createHash('sha256').update(JSON.stringify(rows, hex)).digest('hex')
      return [name, rows.length, digest]
    })
  return JSON.stringify([integrity_check, digests])
}
