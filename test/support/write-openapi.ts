import { writeFile } from 'node:fs/promises'
import { formatPublished, OPENAPI_FILE } from './published-openapi.ts'

/** Writes openapi.json anew: `npm run openapi`. */
await writeFile(OPENAPI_FILE, formatPublished())
