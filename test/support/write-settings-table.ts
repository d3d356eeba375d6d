import { readFile, writeFile } from 'node:fs/promises'
import { SETTINGS_PAGE, withSettingsTable } from './settings-table.ts'

/** Regenerates the handbook's table of settings: `npm run settings`. */
await writeFile(SETTINGS_PAGE, withSettingsTable(await readFile(SETTINGS_PAGE, 'utf8')))
