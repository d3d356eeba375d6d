import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { buildOpenApi } from '../src/public/openapi.ts'
import { PUBLIC_ERRORS, type PublicErrorCode } from '../src/schema/error-codes.ts'
import { findBreaks } from './support/breaking-changes.ts'
import { formatPublished, OPENAPI_FILE } from './support/published-openapi.ts'

// Contract, "Deployments and versions": the document says what the service does, and a release is never taken back.

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is walked, not modelled
type Json = any

const RELEASED_FILE = new URL('../openapi/released/v1.json', import.meta.url)
const released: Json = JSON.parse(await readFile(RELEASED_FILE, 'utf8'))
const today: Json = JSON.parse(formatPublished())

test('openapi.json is generated from the schemas and codes', async () => {
  const committed = await readFile(OPENAPI_FILE, 'utf8')
  assert.ok(committed === formatPublished(), 'openapi.json is out of date: write it anew with "npm run openapi"')
})

test('compared with the released document, there are only additions', () => {
  assert.deepEqual(findBreaks(released, today), [])
})

test('an addition is not a breaking change', async t => {
  const additions: [what: string, change: (document: Json) => void][] = [
    ['an operation', ({ paths }) => (paths['/categories'] = { get: paths['/pets'].get })],
    ['an optional parameter', ({ paths }) => paths['/pets'].get.parameters.push({ name: 'name', in: 'query' })],
    ['an optional member of a body', ({ components }) => (components.schemas.NewPet.properties.color = {})],
    ['a member of an answer', ({ components }) => (components.schemas.Pet.properties.description = {})],
    ['a header', ({ paths }) => (paths['/pets'].post.responses[201].headers.Age = { schema: {} })],
    ['a status', ({ paths }) => (paths['/pets'].get.responses[451] = { description: 'Not here.' })],
    ['a code', ({ components }) => components.schemas.Error.properties.code['x-extensible-enum'].push('closed_today')],
    ['another wording', ({ components }) => (components.schemas.Pet.description = 'A creature.')],
    [
      'a pattern that is written in another way',
      ({ components }) => (components.schemas.NewPet.properties.name.pattern = '^\\P{Cc}*[^\\p{Cc}\\s]\\P{Cc}{0,254}$'),
    ],
    [
      'the default of an optional member in words',
      ({ components }) => delete components.schemas.NewPet.properties.status.default,
    ],
    ['a deprecation', ({ paths }) => (paths['/pets'].post.deprecated = true)],
  ]
  for (const [what, change] of additions) {
    await t.test(what, () => assert.deepEqual(findBreaks(released, changed(change)), []))
  }
})

test('anything else is a breaking change', async t => {
  const breaks: [what: string, change: (document: Json) => void][] = [
    ['an operation gone', ({ paths }) => delete paths['/pets/{petId}']],
    ['another operationId', ({ paths }) => (paths['/pets'].get.operationId = 'findPets')],
    ['an earlier removal', ({ paths }) => (paths['/pets/{petId}'].get['x-sunset'] = '2029-12-05')],
    ['a parameter gone', ({ paths }) => paths['/pets'].get.parameters.shift()],
    [
      'a required parameter',
      ({ paths }) => paths['/pets'].get.parameters.push({ name: 'a', in: 'query', required: true }),
    ],
    ['a parameter required', ({ components }) => (components.parameters.status.required = true)],
    ['another default', ({ components }) => (components.parameters.limit.schema.default = 50)],
    ['a lower maximum', ({ components }) => (components.parameters.limit.schema.maximum = 50)],
    ['a rule where there was none', ({ components }) => (components.parameters.cursor.schema.maxLength = 10)],
    ['a tighter pattern', ({ components }) => (components.schemas.NewPet.properties.name.pattern = '^\\P{Cc}+$')],
    ['another default of a member', ({ components }) => (components.schemas.NewPet.properties.status.default = 'sold')],
    ['the default of a parameter gone', ({ components }) => delete components.parameters.limit.schema.default],
    ['a required member', ({ components }) => components.schemas.NewPet.required.push('status')],
    ['a tighter member', ({ components }) => (components.schemas.NewPet.properties.categoryId.minimum = 1)],
    ['a new status value', ({ components }) => components.schemas.PetStatus.enum.push('reserved')],
    ['a status value gone', ({ components }) => components.schemas.PetStatus.enum.pop()],
    ['a member gone', ({ components }) => delete components.schemas.Pet.properties.name],
    ['a member no longer certain', ({ components }) => components.schemas.Pet.required.pop()],
    ['another type', ({ components }) => (components.schemas.Pet.properties.id.type = 'string')],
    ['a header gone', ({ paths }) => delete paths['/pets'].get.responses[200].headers.Link],
    ['a header no longer certain', ({ components }) => (components.headers.ETag.required = false)],
    ['a status gone', ({ paths }) => delete paths['/pets'].post.responses[422]],
    ['a code gone', ({ components }) => components.schemas.Error.properties.code['x-extensible-enum'].pop()],
    ['another media type', ({ paths }) => (paths['/pets'].post.requestBody.content = { 'application/xml': {} })],
    ['another way to authenticate', ({ components }) => (components.securitySchemes.apiKey.scheme = 'basic')],
  ]
  for (const [what, change] of breaks) {
    await t.test(what, () => assert.notDeepEqual(findBreaks(released, changed(change)), []))
  }
})

test('the document names both base addresses, the first given first', () => {
  const urls = (document: Json) => document.servers.map(({ url }: { url: string }) => url)
  const staging = 'https://b.test/v1'
  assert.deepEqual(urls(today), ['https://petstore.example/v1', 'https://staging.petstore.example/v1'])
  assert.deepEqual(urls(buildOpenApi({ staging, production: 'https://a.test/v1' })), [staging, 'https://a.test/v1'])
})

test('the document has the three operations, one of them deprecated', () => {
  const operations = Object.entries<Json>(today.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, { operationId, deprecated = false }]) => {
      return [operationId, method, path, deprecated]
    }),
  )
  assert.deepEqual(operations, [
    ['listPets', 'get', '/pets', false],
    ['createPet', 'post', '/pets', false],
    ['getPet', 'get', '/pets/{petId}', true],
  ])
})

test('an int64 is an integer of format int64, without bounds that a parser could round', () => {
  const { Pet, NewPet } = today.components.schemas
  for (const { type, format, ...rest } of [
    Pet.properties.id,
    Pet.properties.categoryId,
    NewPet.properties.categoryId,
  ]) {
    assert.deepEqual([type, format, Object.keys(rest)], ['integer', 'int64', ['description']])
  }
})

test('the document has nothing that is only for the service itself', () => {
  assert.doesNotMatch(JSON.stringify(today), /"rule"|"bigint"|~kind|\/src\//)
})

test('every code is explained, and shown at its status wherever an operation answers with it', () => {
  const shown = new Set<string>()
  for (const [status, response] of eachResponse()) {
    for (const [code, { $ref }] of Object.entries<Json>(response.content?.['application/json'].examples ?? {})) {
      if (Number(status) < 400) continue
      assert.equal($ref, `#/components/examples/${code}`)
      assert.deepEqual(today.components.examples[code].value.status, Number(status))
      assert.equal(PUBLIC_ERRORS[code as PublicErrorCode].status, Number(status))
      shown.add(code)
    }
  }
  // These refuse calls that reach no operation; there is no place for them but the introduction.
  const elsewhere = ['https_required', 'method_not_allowed', 'method_not_supported', 'route_not_found']
  assert.deepEqual([...shown, ...elsewhere].toSorted(), Object.keys(PUBLIC_ERRORS).toSorted())
  for (const code of Object.keys(PUBLIC_ERRORS)) assert.ok(today.info.description.includes(`\`${code}\``), code)
})

test('every answer has the rate-limit headers and a request id', () => {
  const always = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id']
  for (const [status, { headers }] of eachResponse()) {
    for (const name of always) assert.deepEqual(headers[name], { $ref: `#/components/headers/${name}` }, status)
    if (status === '401') assert.ok(headers['WWW-Authenticate'])
    if (status === '429') assert.ok(headers['Retry-After'])
  }
  for (const name of always) assert.equal(today.components.headers[name].required, true)
})

test('every example is valid against its schema', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(today, 'openapi')
  const check = (pointer: string, value: unknown) => {
    assert.ok(
      ajv.validate({ $ref: `openapi#${pointer}` }, value),
      `${pointer}: ${JSON.stringify(value)} ${ajv.errorsText()}`,
    )
  }
  let checked = 0
  walk(today, '')
  assert.ok(checked > Object.keys(today.components.examples).length, `${checked} examples`)

  function walk(part: Json, pointer: string): void {
    if (typeof part !== 'object' || part === null) return
    if (part.schema) {
      const examples = Object.values<Json>(part.examples ?? {}).map(example =>
        example.$ref ? today.components.examples[example.$ref.split('/').at(-1)] : example,
      )
      const values = [...examples.map(({ value }) => value), ...(part.example === undefined ? [] : [part.example])]
      assert.equal(values.length === 0, WITHOUT_EXAMPLE.includes(part.name), `${pointer} has an example`)
      for (const value of values) check(`${pointer}/schema`, value)
      checked += values.length
    }
    for (const [key, member] of Object.entries(part)) walk(member, `${pointer}/${encodeURIComponent(escapeStep(key))}`)
  }
})

/** A store signs its cursors, and an Idempotency-Key is new for each animal: tools would send an example, and be refused. */
const WITHOUT_EXAMPLE = ['cursor', 'Idempotency-Key']

function changed(change: (document: Json) => void): Json {
  const copy = structuredClone(released)
  change(copy)
  return copy
}

/** Every status that an operation answers with, references replaced. */
function eachResponse(): [status: string, response: Json][] {
  return Object.values<Json>(today.paths)
    .flatMap(methods => Object.values<Json>(methods))
    .flatMap(({ responses }) => Object.entries<Json>(responses))
    .map(([status, response]) => [
      status,
      response.$ref ? today.components.responses[response.$ref.split('/').at(-1)] : response,
    ])
}

function escapeStep(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1')
}
