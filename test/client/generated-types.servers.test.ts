import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { CLIENT_TYPES, generateTypes } from '../../tools/generate-client-types.ts'

test("the client's types match the committed OpenAPI document", async () => {
  assert.equal(readFileSync(CLIENT_TYPES, 'utf8'), await generateTypes())
})
