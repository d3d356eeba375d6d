import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { CONSOLE_TYPES, generateConsoleTypes } from '../../tools/generate-console-types.ts'

test("the console's types match the OpenAPI document of the admin API", async () => {
  const isSame = readFileSync(CONSOLE_TYPES, 'utf8') === (await generateConsoleTypes())
  assert.ok(isSame, 'run npm run generate --workspace console')
})
