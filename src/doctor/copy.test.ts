import assert from 'node:assert/strict'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/support/folder.ts'
import { readState } from '../sqlite/backup/inspect.ts'
import { chainFolder, copyFileName } from '../sqlite/copy/copy-folder.ts'
import { databaseFile } from '../sqlite/data-folder/store-files.ts'
import { prepareDatabase } from '../sqlite/prepare-database.ts'
import { checkCopy } from './copy.ts'

const COPIED_AT = Date.UTC(2027, 2, 1, 12)

test('doctor reports how far the copy is behind, and what is wrong with its folder', async t => {
  const dataFolder = await temporaryFolder(t)
  const parent = await temporaryFolder(t)
  prepareDatabase(dataFolder, 'production')
  const file = databaseFile(dataFolder)
  const { store } = readState(file)
  const examine = (copyTo: string | undefined, copyEverySeconds = 5) => {
    const settings = { copyTo, copyEverySeconds, dataFolder, deployment: 'production' } as const
    // The free space on this machine's disk is not tested here.
    const findings = checkCopy(settings).filter(({ message }) => !message.startsWith('On the disk of '))
    return findings.map(({ outcome, message }) => `${outcome} ${message}`).join('\n')
  }
  const folderOf = (name: string, chain?: string) => {
    const folder = join(parent, name)
    mkdirSync(folder)
    if (chain === undefined) return folder
    const made = chainFolder(folder, { store: chain, deployment: 'production', startedAt: COPIED_AT })
    mkdirSync(made)
    const full = { kind: 'full', number: 0, at: COPIED_AT, sha256: '0'.repeat(64) } as const
    writeFileSync(join(made, copyFileName(full)), '')
    return folder
  }
  assert.equal(examine(undefined), '')
  assert.match(
    examine(join(parent, 'missing')),
    /^fail The folder .*missing cannot be read; create it, or mount its disk/,
  )
  assert.match(examine(folderOf('empty')), /^warn There is no complete copy in .*empty yet;/)
  assert.match(
    examine(folderOf('other', 'ab'.repeat(16))),
    /^fail .*other has a copy of another store; set PETSTORE_COPY_TO/,
  )

  const copy = folderOf('own', store)
  const writtenAt = (secondsLater: number) => {
    const seconds = COPIED_AT / 1_000 + secondsLater
    utimesSync(file, seconds, seconds)
  }
  writtenAt(30)
  assert.match(
    examine(copy),
    /^ok The copy in .*own can restore any time from 2027-03-01T12:00:00\.000Z to 2027-03-01T12:00:00\.000Z\.$/,
  )
  writtenAt(90)
  assert.match(examine(copy), /^warn .*, and is 90 seconds behind the store\. The log of the service shows the reason;/)
  assert.match(examine(copy, 60), /^ok /)
})
