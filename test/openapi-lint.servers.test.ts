import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { buildOpenApi } from '../site/operator-openapi.ts'
import { lintOpenApi } from '../tools/lint-openapi.ts'
import { temporaryFolder } from './support/folder.ts'
import { OPENAPI_FILE } from './support/published-openapi.ts'

test("the public API's document is clean under the strict rules of Redocly", async () => {
  await lintOpenApi(fileURLToPath(OPENAPI_FILE))
})

test("the admin API's document is clean under the strict rules of Redocly", async t => {
  const file = join(await temporaryFolder(t), 'admin.json')
  await writeFile(file, JSON.stringify(buildOpenApi()))
  await lintOpenApi(file)
})
