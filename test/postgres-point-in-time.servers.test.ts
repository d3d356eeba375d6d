import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { inReverse } from './support/cleanup.ts'
import { makeStore } from './support/command-line.ts'
import { until } from './support/eventually.ts'
import { temporaryFolder } from './support/folder.ts'
import { HANDBOOK } from './support/handbook.ts'
import { skip } from './support/servers/needs.ts'
import { noPostgres, program, query, startPostgres } from './support/servers/postgres.ts'
import { findServerProgram, makeServerFolder } from './support/servers/private-server.ts'

// As docs/operations/postgresql-backups.md says in "Point-in-time recovery".

test('a file of the log that is already in the archive is archived successfully, and another one does not replace it', async t => {
  const archive = await temporaryFolder(t)
  const file = join(await temporaryFolder(t), 'segment')
  const command = archiveCommandFor(archive)?.replaceAll('%p', file).replaceAll('%f', '000000010000000000000001')
  const run = () => execFileSync('sh', ['-c', command as string], { stdio: 'pipe' })
  writeFileSync(file, 'first')
  // The remains of a server that died while copying.
  writeFileSync(join(archive, '000000010000000000000001.part'), 'fi')
  run()
  // The server has died before it recorded the success, and tries again.
  run()
  writeFileSync(file, 'other')
  assert.throws(run)
  assert.deepEqual(readdirSync(archive), ['000000010000000000000001'])
  assert.equal(readFileSync(join(archive, '000000010000000000000001'), 'utf8'), 'first')
})

test('a store in PostgreSQL is restored to the moment before a mistake, after its machine was lost', async t => {
  if (noPostgres || !findServerProgram('pg_basebackup')) {
    skip(t, noPostgres ?? 'pg_basebackup is not installed')
    return
  }
  const end = inReverse(t)
  const folderFor = (name: string, prepare: Parameters<typeof makeServerFolder>[1] = () => {}) => {
    const folder = makeServerFolder(name, prepare)
    end.after(() => rmSync(folder, { recursive: true, force: true }))
    return folder
  }
  const archive = folderFor('archive')
  const archiveCommand = archiveCommandFor(archive)
  const restoreCommand = /restore_command = '(.+)'/.exec(HANDBOOK)?.[1]?.replaceAll('/mnt/archive/wal', archive)
  const server = await startPostgres(['archive_mode=on', `archive_command=${archiveCommand}`, 'archive_timeout=1'])
  let isLost = false
  end.after(() => (isLost ? undefined : server.close()))
  const store = await makeStore(end, { PETSTORE_DATABASE_URL: server.url })
  const create = (name: string) => store.text('pet', 'add', name, '--category', '3')
  const namesIn = async (env: Record<string, string>) => {
    const pets: { name: string }[] = await store.with(env).json('pet', 'list')
    return pets.map(({ name }) => name)
  }
  await create('before the base backup')
  const base = folderFor('base', (folder, run) => {
    const how = ['--checkpoint=fast', '--no-sync', '--wal-method=none', '--no-manifest']
    run(
      program('pg_basebackup'),
      '--host=127.0.0.1',
      `--port=${server.port}`,
      '--username=postgres',
      ...how,
      `--pgdata=${folder}/base`,
    )
  })
  await create('after the base backup')
  await sleep(50)
  // This setting takes no Z.
  const moment = new Date().toISOString().replace('Z', '+00')
  await sleep(50)
  await store.text('pet', 'delete', '1', '--yes')
  await create('after the mistake')
  assert.deepEqual(await namesIn({}), ['after the base backup', 'after the mistake'])

  const [current] = await query(server.url, 'SELECT pg_walfile_name(pg_current_wal_lsn()) AS segment')
  await until(() => readdirSync(archive).includes(String(current?.segment)))
  await server.signal('SIGKILL')
  await server.close()
  isLost = true

  const begun = performance.now()
  const restored = await startPostgres(
    [`restore_command=${restoreCommand}`, `recovery_target_time=${moment}`, 'recovery_target_action=promote'],
    {
      restore(cluster, run) {
        run('cp', '-a', `${base}/base`, cluster)
        run('touch', `${cluster}/recovery.signal`)
      },
    },
  )
  end.after(() => restored.close())
  const recovered = async () => {
    const [state] = await query(restored.url, 'SELECT pg_is_in_recovery() AS standby')
    return state?.standby === false
  }
  await until(recovered)
  const seconds = (performance.now() - begun) / 1_000
  const env = { PETSTORE_DATABASE_URL: restored.url }
  assert.deepEqual(await namesIn(env), ['before the base backup', 'after the base backup'])
  const after = "SELECT setval('pet_id', last_value + 1000000) FROM pet_id; TRUNCATE session, sign_in_link"
  await query(restored.url, after)
  await store.with(env).text('pet', 'add', 'a new one', '--category', '3')
  const doctor = await store.with(env).run('doctor')
  assert.doesNotMatch(doctor.stdout, /\bfail\b/)
  t.diagnostic(`restored to ${moment} in ${seconds.toFixed(1)} s`)
})

function archiveCommandFor(folder: string): string | undefined {
  return /archive_command = '(.+)';/.exec(HANDBOOK)?.[1]?.replaceAll('/mnt/archive/wal', folder)
}
