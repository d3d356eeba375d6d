import { readFile, writeFile } from 'node:fs/promises'
import { HANDBOOK, withSettingsTable } from './settings-table.ts'

/** Regenerates the handbook's table of settings: `npm run settings`. */
await writeFile(HANDBOOK, withSettingsTable(await readFile(HANDBOOK, 'utf8')))
