import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { execute } from '../../test/support/database.ts'
import { eventually, until } from '../../test/support/eventually.ts'
import { temporaryFolder } from '../../test/support/folder.ts'
import { COMMAND_LINE } from '../domain/audit.ts'
import { DAY_MS, HOUR_MS } from '../domain/time.ts'
import { Metrics } from '../metrics/metrics.ts'
import { readState } from '../sqlite/backup/inspect.ts'
import { restoreStore } from '../sqlite/backup/restore.ts'
import { scheduledName } from '../sqlite/backup/scheduled-names.ts'
import { databaseFile } from '../sqlite/data-folder/store-files.ts'
import { SqliteStore } from '../sqlite/store.ts'
import { openLog } from './log.ts'
import { type BackupPace, ScheduledBackups } from './scheduled-backups.ts'
import type { Environment } from './settings.ts'

const NOW = Date.UTC(2027, 2, 1, 12)

test('a backup is written once one is due; then the oldest beyond the number are deleted, and nothing else', async t => {
  const { folder, nameAt, start, restoredPets } = await prepare(t)
  const foreign = [
    'notes.txt',
    scheduledName('0123456789', NOW - 9 * DAY_MS),
    `petstore-${'x'.repeat(8)}-2027-02-01T12-00-00Z.db`,
    nameAt(NOW - 8 * DAY_MS).replace('T12', 'T32'),
    `${nameAt(NOW - 8 * DAY_MS)}.keep`,
    'petstore.db',
  ]
  for (const name of foreign) writeFileSync(join(folder, name), '')
  mkdirSync(join(folder, nameAt(NOW - 7 * DAY_MS)))
  symlinkSync('notes.txt', join(folder, nameAt(NOW - 6 * DAY_MS)))
  const own = [3, 2, 1].map(days => nameAt(NOW - days * DAY_MS))
  for (const name of own) writeFileSync(join(folder, name), '')
  const before = new Set(readdirSync(folder))

  const run = start({ keep: 2, now: NOW - 1 })
  await run.looks(3)
  assert.deepEqual(new Set(readdirSync(folder)), before, 'none is due, and the number alone deletes nothing')
  run.set(NOW)
  await eventually(() => assert.ok(!existsSync(join(folder, own[1] as string))))
  await run.looks(3)
  const after = new Set(readdirSync(folder))
  assert.deepEqual([...before.difference(after)], own.slice(0, 2))
  assert.deepEqual([...after.difference(before)], [nameAt(NOW)])
  assert.deepEqual(run.check(NOW), {
    outcome: 'ok',
    message: `The newest verified backup (${join(folder, nameAt(NOW))}) is from 2027-03-01T12:00:00.000Z.`,
  })
  assert.equal(await run.metric('petstore_backup_timestamp_seconds'), NOW / 1_000)
  assert.equal(await run.metric('petstore_backup_interval_seconds'), DAY_MS / 1_000)
  assert.equal(run.logs.filter(line => line.includes('backup written and verified')).length, 1)
  assert.equal(await restoredPets(nameAt(NOW)), 1)
})

test('a start writes no backup while the newest is new enough, and otherwise waits for a moment', async t => {
  const { folder, nameAt, start } = await prepare(t)
  writeFileSync(join(folder, nameAt(NOW - HOUR_MS)), '')
  for (let restart = 0; restart < 3; restart += 1) {
    const run = start()
    await run.looks(2)
    await run.close()
  }
  assert.equal(readdirSync(folder).length, 1)
  const run = start({ now: NOW + DAY_MS, pace: { startAfterMs: 60_000 } })
  await run.looks(3)
  assert.equal(readdirSync(folder).length, 1)
})

test('a backup is made with the settings of the running service, even if their file has changed since', async t => {
  const { folder, dataFolder, nameAt, start } = await prepare(t)
  const file = join(dataFolder, 'petstore.env')
  writeFileSync(file, 'PETSTORE_DATABASE_URL=postgres://db.example/petstore\nnot a setting')
  start({ env: { PETSTORE_ENV_FILE: file } })
  await eventually(() => assert.deepEqual(readdirSync(folder), [nameAt(NOW)]))
})

test('a failure is logged in one line, is in the health and the metrics, and is retried until it works', async t => {
  const { folder, nameAt, start } = await prepare(t)
  renameSync(folder, `${folder}-away`)
  const run = start()
  await eventually(async () => assert.ok((await run.metric('petstore_backup_errors_total')) > 2))
  const reason = `No backup can be written to ${folder} (no such file or folder).`
  const failed = run.logs.filter(line => line.includes('the backup failed; it will be retried'))
  assert.deepEqual([failed.length, JSON.parse(failed[0] ?? '{}').reason], [1, reason])
  const { outcome, message, since } = run.check(NOW)
  assert.deepEqual(
    [outcome, message, since],
    ['warn', `${reason} There is no verified backup of this store in ${folder} yet.`, NOW],
  )
  renameSync(`${folder}-away`, folder)
  await eventually(() => assert.equal(run.check(NOW).outcome, 'ok'))
  assert.deepEqual(readdirSync(folder), [nameAt(NOW)])
  assert.equal(run.logs.filter(line => line.includes('backups work again')).length, 1)

  rmSync(join(folder, nameAt(NOW)))
  await eventually(() => assert.match(run.check(NOW).message, /^The backups in .* are gone; is its disk mounted\? /))
  assert.deepEqual(readdirSync(folder), [])
})

test('while backups fail, the health is degraded, and failing once twice the time between two has passed', async t => {
  const { folder, nameAt, start } = await prepare(t)
  const name = join(folder, nameAt(NOW))
  writeFileSync(name, '')
  const run = start()
  await eventually(() => assert.match(run.check(NOW).message, /is from 2027/))
  rmSync(name)
  await eventually(() => assert.equal(run.check(NOW + 2 * DAY_MS).outcome, 'warn'))
  const { outcome, message, since } = run.check(NOW + 2 * DAY_MS + 1)
  assert.deepEqual([outcome, since], ['fail', NOW])
  assert.match(message, /^The backups in .* are gone; is its disk mounted\? The newest verified backup .* is from 2027/)
})

test('a stop waits until the backup that it interrupts has removed its unfinished file', async t => {
  const { folder, dataFolder, nameAt, start } = await prepare(t)
  execute(
    databaseFile(dataFolder),
    `INSERT INTO pet (name, category_id, status) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)
     SELECT 'animal ' || i || ' of many, with a name that takes some room', i, 'available' FROM n`,
  )
  const name = join(folder, nameAt(NOW))
  let stoppedMs: number
  do {
    rmSync(name, { force: true })
    const run = start({ pace: { startAfterMs: 200 } })
    await until(() => readdirSync(folder).length > 0)
    const closedAt = performance.now()
    await run.close()
    stoppedMs = performance.now() - closedAt
    // On a busy machine, the backup may be complete before this process sees it.
  } while (existsSync(name))
  // A stop waits for two seconds. A busy machine may need longer.
  if (stoppedMs < 1_900) assert.deepEqual(readdirSync(folder), [])
  else await until(() => readdirSync(folder).length === 0)
})

test('a backup that is not sound gets no name, and none is deleted for it', async t => {
  const { folder, dataFolder, nameAt, start } = await prepare(t)
  const own = [3, 2].map(days => nameAt(NOW - days * DAY_MS))
  for (const name of own) writeFileSync(join(folder, name), '')
  execute(databaseFile(dataFolder), 'UPDATE pet SET checksum = checksum + 1')
  const run = start({ keep: 1 })
  await eventually(() => assert.match(run.check(NOW).message, /is damaged/))
  assert.deepEqual(readdirSync(folder), own)
})

test('a folder that is the data folder, even through a link, is refused', async t => {
  const { folder, dataFolder, start } = await prepare(t)
  rmSync(folder, { recursive: true })
  symlinkSync(dataFolder, folder)
  const before = readdirSync(dataFolder)
  const run = start()
  await eventually(async () => assert.ok((await run.metric('petstore_backup_errors_total')) > 1))
  assert.match(run.check(NOW).message, /^The folder for backups \(.*\) must be outside /)
  assert.deepEqual(readdirSync(dataFolder), before)
})

test('what a killed process has left is removed by the next backup', async t => {
  const { folder, nameAt, start } = await prepare(t)
  const partial = new URL('../files/partial-file.ts', import.meta.url).href
  const script = `import { partialFile } from ${JSON.stringify(partial)}
    const file = partialFile(${JSON.stringify(join(folder, nameAt(NOW - DAY_MS)))})
    for (const suffix of ['', '-journal']) (await import('node:fs')).writeFileSync(file + suffix, 'x')
    process.kill(process.pid, 'SIGKILL')`
  spawnSync(process.execPath, ['--input-type=module', '--eval', script])
  assert.equal(readdirSync(folder).length, 2)
  start()
  await eventually(() => assert.deepEqual(readdirSync(folder), [nameAt(NOW)]))
})

test('a backup that is killed when it has just got its name counts as written', async t => {
  const { folder, nameAt, start } = await prepare(t)
  const killed = `import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    const { linkSync } = fs
    fs.linkSync = (from, to) => (linkSync(from, to), process.kill(process.pid, 'SIGKILL'))
    syncBuiltinESMExports()`
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(killed)}`
  const run = start({ env: { NODE_OPTIONS } })
  await eventually(async () => assert.ok((await run.metric('petstore_backup_errors_total')) > 0))
  await eventually(() => assert.equal(run.check(NOW).outcome, 'ok', run.check(NOW).message))
  await run.looks(3)
  assert.deepEqual([run.check(NOW).outcome, await run.metric('petstore_backup_errors_total')], ['ok', 1])
  assert.ok(readdirSync(folder).includes(nameAt(NOW)))
})

test('two services on copies of one store that share a folder report each other, and delete nothing', async t => {
  const { folder, nameAt, start } = await prepare(t)
  for (const days of [3, 2]) writeFileSync(join(folder, nameAt(NOW - days * DAY_MS)), '')
  const run = start({ keep: 1, now: NOW - DAY_MS - 1 })
  await run.looks(2)
  writeFileSync(join(folder, nameAt(NOW - DAY_MS)), '')
  await eventually(() =>
    assert.match(run.check(NOW).message, /^Another service has written .*27-02-28T12-00-00Z\.db: /),
  )
  run.set(NOW)
  await eventually(() => assert.ok(readdirSync(folder).includes(nameAt(NOW))))
  await run.looks(2)
  assert.equal(readdirSync(folder).length, 4)
  assert.equal(run.check(NOW).outcome, 'warn')
})

test('a clock that jumps costs no backup', async t => {
  const { folder, nameAt, start } = await prepare(t)
  const ahead = nameAt(NOW + 400 * DAY_MS)
  const own = [5, 4, 3].map(days => nameAt(NOW - days * DAY_MS))
  for (const name of [...own, ahead]) writeFileSync(join(folder, name), '')
  const doubtful = start({ keep: 1, isClockInDoubt: true, now: NOW + 500 * DAY_MS })
  await eventually(() => assert.ok(readdirSync(folder).includes(nameAt(NOW + 500 * DAY_MS))))
  await doubtful.looks(2)
  assert.equal(readdirSync(folder).length, 5, 'a clock in doubt deletes nothing')
  // Set right while the service runs: what is dated in the future is not the newest one, and stays.
  doubtful.set(NOW)
  await eventually(() => assert.ok(readdirSync(folder).includes(nameAt(NOW))))
  await doubtful.close()
  const right = start({ keep: 2, now: NOW + DAY_MS })
  await eventually(() => assert.ok(!readdirSync(folder).includes(own[2] as string)))
  await right.looks(2)
  assert.deepEqual(
    readdirSync(folder).toSorted(),
    [nameAt(NOW), nameAt(NOW + DAY_MS), ahead, nameAt(NOW + 500 * DAY_MS)].toSorted(),
  )
  await right.close()
  const behind = start({ keep: 1, now: 0 })
  await eventually(() => assert.ok(readdirSync(folder).includes(nameAt(0))))
  await behind.looks(2)
  assert.equal(readdirSync(folder).length, 5)
})

test('a backup that hangs, or is too old, is in the health; a stop ends it and leaves nothing', async t => {
  const { folder, nameAt, start } = await prepare(t)
  const NODE_OPTIONS = '--import=data:text/javascript,await(new(Promise)(done=>setTimeout(done,99999)))'
  const run = start({ env: { NODE_OPTIONS }, pace: { reportAfterMs: 50 } })
  await eventually(() => assert.match(run.check(NOW).message, /^A backup takes very long; check whether .* responds\./))
  const begun = performance.now()
  await run.close()
  assert.ok(performance.now() - begun < 10_000)
  assert.deepEqual(readdirSync(folder), [])

  writeFileSync(join(folder, nameAt(NOW)), '')
  const old = start({ pace: { startAfterMs: 60_000 } })
  await old.looks(1)
  assert.equal(old.check(NOW + 2 * DAY_MS).outcome, 'ok')
  assert.deepEqual([old.check(NOW + 2 * DAY_MS + 1).outcome, old.check(NOW + 2 * DAY_MS + 1).since], ['warn', NOW])
})

interface Wish {
  now?: number
  keep?: number
  env?: Environment
  isClockInDoubt?: boolean
  pace?: Partial<BackupPace>
}

async function prepare(t: TestContext) {
  const dataFolder = await temporaryFolder(t)
  const folder = join(await temporaryFolder(t), 'backups')
  mkdirSync(folder)
  const open = await SqliteStore.open(dataFolder, 'production', { inThreads: false })
  t.after(() => open.close())
  await open.createPet({ name: 'Rex', categoryId: 1n, status: 'available' }, NOW)
  const { store } = readState(databaseFile(dataFolder))
  return {
    folder,
    dataFolder,
    nameAt: (at: number) => scheduledName(store, at),
    start({ now = NOW, keep = 7, env = {}, isClockInDoubt = false, pace = {} }: Wish = {}) {
      const logs: string[] = []
      const metrics = new Metrics()
      const setBackupAt = metrics.backupAt.set.bind(metrics.backupAt)
      Object.assign(metrics.backupAt, {
        set(at: number) {
          looks += 1
          setBackupAt(at)
        },
      })
      t.after(() => metrics.close())
      let time = now
      let looks = 0
      const backups = new ScheduledBackups({
        settings: {
          backupTo: folder,
          backupEverySeconds: 86_400,
          backupKeep: keep,
          dataFolder,
          deployment: 'production',
        },
        store,
        env: { PATH: process.env.PATH, ...env },
        now: () => time,
        isClockInDoubt: () => isClockInDoubt,
        metrics,
        log: openLog('info', { write: line => void logs.push(line) }),
        pace: { lookEveryMs: 10, startAfterMs: 0, retryAfterMs: 10, ...pace },
      })
      t.after(() => backups.close())
      return {
        logs,
        set(at: number) {
          time = at
        },
        /** Waits until the folder has been read this many times more. */
        async looks(count: number) {
          const until = looks + count
          await eventually(() => assert.ok(looks >= until))
        },
        metric: async (name: string) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(await metrics.text())?.[1]),
        check: (at: number) => backups.check(at),
        close: () => backups.close(),
      }
    },
    async restoredPets(name: string) {
      const target = await temporaryFolder(t)
      const restorer = { actor: { name: 'anna', origin: COMMAND_LINE }, now: NOW }
      const { holdings } = await restoreStore(target, 'production', join(folder, name), restorer)
      return holdings.counts.animals
    },
  }
}
