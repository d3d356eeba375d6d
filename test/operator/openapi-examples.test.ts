import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { buildOpenApi } from '../../src/operator/openapi.ts'
import { OPERATIONS } from '../../src/operator/routes.ts'
import { startOperatorService } from '../support/operator.ts'
import { exampleOf } from '../support/operator-examples.ts'

// The examples in the document of the admin API can be sent as they are, with existing ids and real secrets.

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is walked, not modelled
type Json = any

const document: Json = JSON.parse(JSON.stringify(buildOpenApi('production')))

test('every example of a request succeeds', async t => {
  const service = await startOperatorService({ after })
  for (const operation of OPERATIONS) {
    const { parameters, requestBody, responses } = described(operation)
    const bodies = examplesOf(requestBody?.content['application/json'])
    const inputs = parameters.map((parameter: Json) => ({ ...parameter, values: examplesOf(parameter) }))
    const answers = examplesOf(responses[operation.status].content?.['application/json'])
    const names = new Set([answers, bodies, ...inputs.map(({ values }: Json) => values)].flatMap(Object.keys))
    if (operation.status !== 204)
      assert.deepEqual([...names], Object.keys(answers), `${operation.id}: requests and answers go together`)
    for (const name of names) {
      await t.test(`${operation.id}: ${name}`, async () => {
        const { method, path, options } = await exampleOf(operation, service)
        const given = (place: string): [string, string][] =>
          inputs
            .filter((input: Json) => input.in === place && input.values[name] !== undefined)
            .map((input: Json) => [input.name, String(input.values[name])])
        const body = bodies[name]?.token ? options.body : bodies[name]
        const headers = given('header').filter(([header]) => header !== 'X-CSRF-Token')
        const answer = await service.call(method, `${path}?${new URLSearchParams(given('query'))}`, {
          ...options,
          headers,
          body,
        })
        assert.equal(answer.status, operation.status, answer.text)
      })
    }
  }
})

test('every operation has an example of everything that is required', () => {
  for (const operation of OPERATIONS) {
    const { parameters, requestBody, responses } = described(operation)
    const needed = parameters.filter(({ required }: Json) => required)
    for (const parameter of needed) assert.notDeepEqual(examplesOf(parameter), {}, `${operation.id} ${parameter.name}`)
    if (requestBody) assert.notDeepEqual(examplesOf(requestBody.content['application/json']), {}, operation.id)
    const { content } = responses[operation.status]
    if (content) assert.notDeepEqual(examplesOf(content['application/json']), {}, operation.id)
  }
})

test('every example is valid against the schema beside it', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(document, 'openapi')
  let checked = 0
  walk(document, '')
  assert.ok(checked > OPERATIONS.length, `${checked} examples`)

  function walk(part: Json, pointer: string): void {
    if (typeof part !== 'object' || part === null) return
    if (part.schema) {
      for (const value of Object.values(examplesOf(part))) {
        const isValid = ajv.validate({ $ref: `openapi#${pointer}/schema` }, value)
        assert.ok(isValid, `${pointer}: ${JSON.stringify(value)} ${ajv.errorsText()}`)
        checked += 1
      }
    }
    for (const [key, member] of Object.entries(part)) {
      walk(member, `${pointer}/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
    }
  }
})

function described({ path, method }: { path: string; method: string }): Json {
  return document.paths[path][method.toLowerCase()]
}

function examplesOf(part: Json = {}): Record<string, Json> {
  return Object.fromEntries(Object.entries<Json>(part.examples ?? {}).map(([name, { value }]) => [name, value]))
}
