import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildOpenApi as buildAdminOpenApi } from '../site/operator-openapi.ts'
import { formatDocument } from '../src/schema/openapi/format.ts'
import { EDGE_TEXTS } from './support/edge-texts.ts'
import { formatPublished } from './support/published-openapi.ts'

// Both documents are read by programs in many languages, and must mean the same to all (docs/decisions/0030).

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is walked, not modelled
type Json = any

const documents: [name: string, text: string][] = [
  ['openapi.json', formatPublished()],
  ['the document of the admin API', formatDocument(buildAdminOpenApi())],
]

for (const [name, text] of documents) {
  const document: Json = JSON.parse(text)
  const patterns = new Set(partsOf(document).flatMap(({ pattern }) => (typeof pattern === 'string' ? [pattern] : [])))

  test(`every pattern of ${name} means the same with the u flag and without`, () => {
    assert.ok(patterns.size > 0)
    for (const pattern of patterns) {
      const [plain, unicode] = [new RegExp(pattern), new RegExp(pattern, 'u')]
      for (const text of EDGE_TEXTS) {
        assert.equal(plain.test(text), unicode.test(text), `${pattern} on ${JSON.stringify(text)}`)
      }
    }
  })

  test(`no pattern of ${name} uses a feature that only some languages have`, () => {
    for (const pattern of patterns) {
      assert.doesNotMatch(pattern, /\(\?/, `${pattern}: no lookaround and no flags`)
      assert.doesNotMatch(
        pattern,
        /\\/,
        `${pattern}: no escapes, which code generators and languages read in ways of their own`,
      )
      const ends = /[\n\r\u2028\u2029/]/
      // A slash in brackets ends none.
      assert.doesNotMatch(
        pattern.replaceAll('[/]', ''),
        ends,
        `${pattern}: nothing that ends a regular expression in code`,
      )
    }
  })

  test(`no member of a body has a default in ${name}, which makes generators require it`, () => {
    const objects = partsOf(document).filter(({ properties }) => typeof properties === 'object')
    assert.ok(objects.length > 0)
    for (const { properties } of objects) {
      for (const [member, schema] of Object.entries<Json>(properties)) assert.ok(!('default' in schema), member)
    }
  })

  test(`every schema with members says that it is an object in ${name}`, () => {
    for (const { properties, type } of partsOf(document)) {
      if (properties) assert.equal(type, 'object', Object.keys(properties).join())
    }
  })

  test(`${name} is also YAML, and readable: invisible characters are escaped`, () => {
    assert.doesNotMatch(text, /[^\n\P{C}]/u)
    assert.doesNotMatch(text, /[^ \n\S]/)
    assert.ok(text.includes('\\u007f-\\u009f'))
    assert.ok(text.includes('…'), 'and nothing else')
  })
}

/** The part itself, and all objects in it. */
function partsOf(part: Json): Json[] {
  if (typeof part !== 'object' || part === null) return []
  return [part, ...Object.values(part).flatMap(partsOf)]
}
