import { writeFile } from 'node:fs/promises'
import { formatPublished, OPENAPI_FILE } from './published-openapi.ts'

/** Regenerates openapi.json: `npm run openapi`. */
await writeFile(OPENAPI_FILE, formatPublished())
