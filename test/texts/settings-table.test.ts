import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { SETTINGS } from '../../src/app/settings.ts'
import { SETTINGS_PAGE, withSettingsTable } from '../support/settings-table.ts'

test("the handbook's table of settings is generated from the code", async () => {
  const page = await readFile(SETTINGS_PAGE, 'utf8')
  assert.ok(page === withSettingsTable(page), 'the table is out of date: update it with "npm run settings"')
  for (const { name } of Object.values(SETTINGS)) assert.ok(page.includes(`| \`${name}\` |`), name)
})
