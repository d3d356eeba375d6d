import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { examine } from '../src/app/checks/examine.ts'
import { runCommand, withoutNewStore } from './support/command-line.ts'
import { eventually } from './support/eventually.ts'
import { temporaryFolder } from './support/folder.ts'
import { startOperatorService } from './support/operator.ts'
import { createPet } from './support/pets.ts'
import { mountOwnDisk } from './support/servers/private-disk.ts'

test('a full or broken disk for backups stops no creation and is reported everywhere; backups resume when it works', async t => {
  const disk = await mountOwnDisk(t)
  if (!disk) return
  const backupTo = join(disk.folder, 'backups')
  mkdirSync(backupTo)
  disk.fill(100_000)
  const service = await startOperatorService(t, {
    config: { backupTo, backupEverySeconds: 3_600 },
    backend: 'embedded',
    backupPace: { lookEveryMs: 50, startAfterMs: 0, retryAfterMs: 100 },
    now: Date.now(),
  })
  const { key } = await service.createCaller()
  const health = async () => {
    const { parts } = (await service.ask('GET', '/admin/v1/health')).json
    return parts.find(({ part }: { part: string }) => part === 'backup')
  }
  const untilDegraded = (pattern: RegExp) =>
    eventually(async () => {
      assert.equal((await createPet(service, key)).status, 201)
      const { state, message } = await health()
      assert.match(message, pattern)
      assert.equal(state, 'degraded')
    })
  await untilDegraded(/^There is no room for a backup in \S+: \S+ \S+ must be free, and only \S+ \S+ are\. /)
  assert.deepEqual(readdirSync(backupTo), [])
  assert.match((await service.ask('GET', '/metrics')).text, /^petstore_backup_errors_total [1-9]/m)
  const env = { PETSTORE_DATA: service.config.dataFolder, PETSTORE_BACKUP_TO: backupTo }
  const findings = async () => (await examine(env, Date.now())).filter(({ check }) => check === 'backup')
  const shown = (await findings()).map(({ outcome, message }) => `${outcome} ${message}`).join('\n')
  assert.match(shown, /^warn There is no verified backup of this store in .*\nwarn On the disk of \S+, only /)

  disk.free()
  await eventually(async () => assert.equal((await health()).state, 'ok'))
  assert.ok(service.logs.some(line => line.includes('backups work again')))
  const [name = ''] = readdirSync(backupTo)
  assert.match((await findings())[0]?.message ?? '', /^The newest verified backup \(.*\.db\) is from /)
  const target = await temporaryFolder(t)
  const { code, stderr } = await runCommand(['restore', join(backupTo, name)], { PETSTORE_DATA: target })
  assert.deepEqual({ code, stderr: withoutNewStore(stderr) }, { code: 0, stderr: '' })

  disk.fail()
  service.clock.now += 3_600_000
  await untilDegraded(/^The file \S+ cannot be written \(the file system is read-only\)/)
  const broken = (await findings()).map(({ outcome, message }) => `${outcome} ${message}`).join()
  assert.match(broken, /^fail The disk of \S+ cannot be written to \(the file system is read-only\); check /)
  assert.equal(service.logs.filter(line => line.includes('the backup failed; it will be retried')).length, 2)
})

test('what a killed backup has left makes room for the next one, even if it fills the disk', async t => {
  const disk = await mountOwnDisk(t)
  if (!disk) return
  const backupTo = join(disk.folder, 'backups')
  mkdirSync(backupTo)
  disk.fill(100_000)
  renameSync(join(disk.folder, 'ballast'), nameOfKilled(join(backupTo, 'petstore.db')))
  const service = await startOperatorService(t, {
    config: { backupTo, backupEverySeconds: 3_600 },
    backend: 'embedded',
    backupPace: { lookEveryMs: 50, startAfterMs: 0, retryAfterMs: 100 },
  })
  const backedUp = () => service.logs.some(line => line.includes('backup written and verified'))
  await eventually(() => assert.ok(backedUp()))
  const names = readdirSync(backupTo)
  assert.ok(names.length === 1 && /^petstore-.*Z\.db$/.test(names[0] ?? ''), names.join())
})

/** The name of a file that a process was writing when it was killed. */
function nameOfKilled(file: string): string {
  const partial = new URL('../src/files/partial-file.ts', import.meta.url).href
  const script = `import { partialFile } from ${JSON.stringify(partial)}
    console.log(partialFile(${JSON.stringify(file)}))`
  return execFileSync(process.execPath, ['--input-type=module', '--eval', script]).toString().trimEnd()
}
