import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildOpenApi as buildAdminOpenApi } from '../src/operator/openapi.ts'
import { EDGE_TEXTS } from './support/edge-texts.ts'
import { formatPublished } from './support/published-openapi.ts'

// Tools read patterns with the `u` flag and without, and in languages other than JavaScript: both documents must mean the same to all.

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is walked, not modelled
type Json = any

const documents: [name: string, document: Json][] = [
  ['openapi.json', JSON.parse(formatPublished())],
  ['the document of the admin API', JSON.parse(JSON.stringify(buildAdminOpenApi('production')))],
]

for (const [name, document] of documents) {
  const patterns = new Set(patternsIn(document))

  test(`every pattern of ${name} means the same with the u flag and without`, () => {
    assert.ok(patterns.size > 0)
    for (const pattern of patterns) {
      const [plain, unicode] = [new RegExp(pattern), new RegExp(pattern, 'u')]
      for (const text of EDGE_TEXTS) {
        assert.equal(plain.test(text), unicode.test(text), `${pattern} on ${JSON.stringify(text)}`)
      }
    }
  })

  test(`no pattern of ${name} has what only some languages know`, () => {
    for (const pattern of patterns) {
      assert.doesNotMatch(pattern, /\(\?/, `${pattern}: no lookaround and no flags`)
      assert.doesNotMatch(
        pattern,
        /\\/,
        `${pattern}: no escapes, which code generators and languages read in ways of their own`,
      )
      assert.doesNotMatch(pattern, /[\n\r\u2028\u2029/]/, `${pattern}: nothing that ends a regular expression in code`)
    }
  })
}

function patternsIn(part: Json): string[] {
  if (typeof part !== 'object' || part === null) return []
  const own = typeof part.pattern === 'string' ? [part.pattern] : []
  return [...own, ...Object.values(part).flatMap(patternsIn)]
}
