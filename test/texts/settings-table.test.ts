import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { SETTINGS } from '../../src/app/settings.ts'
import { HANDBOOK, withSettingsTable } from '../support/settings-table.ts'

test("the handbook's table of settings is generated from the code", async () => {
  const handbook = await readFile(HANDBOOK, 'utf8')
  assert.ok(handbook === withSettingsTable(handbook), 'the table is out of date: update it with "npm run settings"')
  for (const { name } of Object.values(SETTINGS)) assert.ok(handbook.includes(`| \`${name}\` |`), name)
})
