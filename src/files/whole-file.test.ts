import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/support/folder.ts'
import { writeWholeFile } from './whole-file.ts'

test('a file that appears while another is written in its place is not overwritten', async t => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'pets.csv')
  let checks = 0
  const place = {
    replace: false,
    // The last that is asked before the file gets its name.
    ensureFree() {
      checks += 1
      if (checks === 2) writeFileSync(file, 'of somebody else')
    },
  }
  await assert.rejects(
    writeWholeFile(file, place, async begun => writeFileSync(begun, 'ours')),
    { name: 'Mistake', message: /pets\.csv is there already; name another one, or add --force\./ },
  )
  assert.equal(readFileSync(file, 'utf8'), 'of somebody else')
  assert.deepEqual(readdirSync(folder), ['pets.csv'])
})
