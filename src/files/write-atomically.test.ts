import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/support/folder.ts'
import { writeAtomically } from './write-atomically.ts'

test('a file that appears while another is written under the same name is not overwritten', async t => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'pets.csv')
  let checks = 0
  const options = {
    replace: false,
    // The second check is the last step before the file gets its name.
    ensureAllowed() {
      checks += 1
      if (checks === 2) writeFileSync(file, 'of another program')
    },
  }
  await assert.rejects(
    writeAtomically(file, options, async partial => writeFileSync(partial, 'ours')),
    { name: 'UserError', message: /pets\.csv already exists; choose another name, or add --force\./ },
  )
  assert.equal(readFileSync(file, 'utf8'), 'of another program')
  assert.deepEqual(readdirSync(folder), ['pets.csv'])
})
