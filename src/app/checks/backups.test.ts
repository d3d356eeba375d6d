import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/folder.ts'
import { DAY_MS } from '../../domain/time.ts'
import { readState } from '../../sqlite/backup/inspect.ts'
import { scheduledName } from '../../sqlite/backup/scheduled-names.ts'
import { databaseFile } from '../../sqlite/data-folder/store-files.ts'
import { prepareDatabase } from '../../sqlite/prepare-database.ts'
import { parseConfig } from '../config.ts'
import { runChecks } from './checks.ts'

const AT = Date.UTC(2027, 2, 1, 12)

test('doctor reports the age of the newest scheduled backup, and what is wrong with it or its folder', async t => {
  const dataFolder = await temporaryFolder(t)
  const parent = await temporaryFolder(t)
  const folder = join(parent, 'backups')
  const examine = async (backupTo: string | undefined, now = AT) =>
    (await runChecks({ now, config: { ...parseConfig({}), backupTo, backupEverySeconds: 86_400, dataFolder } }))
      // The free space on this machine's disk is not tested here.
      .filter(({ message }) => !message.startsWith('On the disk of '))
      .map(({ check, outcome, message }) => `${check} ${outcome} ${message}`)
      .join('\n')
  assert.equal(await examine(undefined), '')
  const unreadable =
    /^backup fail The folder .*backups cannot be read; create it, or mount its disk \(PETSTORE_BACKUP_TO\)\.$/
  assert.match(await examine(folder), unreadable)
  mkdirSync(folder)
  assert.match(await examine(folder), /^backup ok There is no store to back up to .*backups yet\.$/)
  prepareDatabase(dataFolder, 'production')
  const database = databaseFile(dataFolder)
  const { store } = readState(database)
  copyFileSync(database, join(folder, scheduledName('0123456789', AT)))
  copyFileSync(database, join(folder, scheduledName(store, AT + 3 * DAY_MS)))
  assert.match(
    await examine(folder),
    /^backup warn There is no verified backup of this store in .* yet\. The running service writes one\.$/,
  )

  const newest = join(folder, scheduledName(store, AT))
  writeFileSync(join(folder, scheduledName(store, AT - DAY_MS)), '')
  copyFileSync(database, newest)
  const words = `The newest verified backup (${newest}) is from 2027-03-01T12:00:00.000Z.`
  assert.equal(await examine(folder, AT + 2 * DAY_MS), `backup ok ${words}`)
  assert.ok(
    (await examine(folder, AT + 2 * DAY_MS + 1)).startsWith(
      `backup warn ${words} Twice PETSTORE_BACKUP_EVERY has passed: `,
    ),
  )
  symlinkSync(dataFolder, join(parent, 'link'))
  assert.match(await examine(join(parent, 'link')), /^backup fail The folder for backups \(.*link\) must be outside /)
  writeFileSync(newest, 'x')
  assert.match(await examine(folder), /^backup fail .*T12-00-00Z\.db is not a Petstore store/)
})
