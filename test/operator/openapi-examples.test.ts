import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { buildOpenApi } from '../../site/operator-openapi.ts'
import { OPERATIONS } from '../../src/operator/routes.ts'
import { startOperatorService } from '../support/operator.ts'
import { exampleOf } from '../support/operator-examples.ts'

// The examples in the document of the admin API can be sent as they are, with existing ids and real secrets.

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is walked, not modelled
type Json = any

const document: Json = JSON.parse(JSON.stringify(buildOpenApi()))

test('every example of a request succeeds', async t => {
  const service = await startOperatorService({ after })
  for (const operation of OPERATIONS) {
    const { parameters, requestBody, responses } = described(operation)
    const bodies = ofEveryType(requestBody?.content)
    const inputs = parameters.map((parameter: Json) => ({ ...parameter, values: examplesOf(parameter) }))
    const answers = ofEveryType(responses[operation.status].content)
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
        const body = await sendable(bodies[name], options.body)
        const type = typeIn(requestBody?.content, name) ?? options.type ?? 'application/json'
        const headers = given('header').filter(([header]) => header !== 'X-CSRF-Token')
        const answer = await service.call(method, `${path}?${new URLSearchParams(given('query'))}`, {
          ...options,
          headers,
          body,
          ...(body !== undefined && { type }),
        })
        assert.equal(answer.status, operation.status, answer.text)
      })
    }
  }

  /** An example, with a token or a version that the service knows instead of a placeholder. */
  async function sendable(body: Json, made: Json): Promise<Json> {
    if (isSecret(body)) return made
    if (body?.entryId) return { ...body, entryId: made.entryId }
    if (!body?.version) return body
    const selection = body.filter ? { filter: body.filter } : { ids: made.ids }
    const preview = await service.call('POST', '/pets/bulk/preview', { body: selection })
    return { ...body, ...selection, version: preview.value.version }
  }
})

test('every operation has an example of everything that is required', () => {
  for (const operation of OPERATIONS) {
    const { parameters, requestBody, responses } = described(operation)
    const needed = parameters.filter(({ required }: Json) => required)
    for (const parameter of needed) assert.notDeepEqual(examplesOf(parameter), {}, `${operation.id} ${parameter.name}`)
    if (requestBody) assert.notDeepEqual(ofEveryType(requestBody.content), {}, operation.id)
    const { content } = responses[operation.status]
    if (content) assert.notDeepEqual(ofEveryType(content), {}, operation.id)
  }
})

test('every example is valid against its schema', () => {
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

/** Whether it has a placeholder of a secret. */
function isSecret(body: Json): boolean {
  return typeof body === 'object' && ['token', 'link', 'secret'].some(name => body[name] !== undefined)
}

function described({ path, method }: { path: string; method: string }): Json {
  return document.paths[path][method.toLowerCase()]
}

/** The examples of all media types. */
function ofEveryType(content: Record<string, Json> = {}): Record<string, Json> {
  return Object.assign({}, ...Object.values(content).map(examplesOf))
}

function examplesOf(part: Json = {}): Record<string, Json> {
  return Object.fromEntries(Object.entries<Json>(part.examples ?? {}).map(([name, { value }]) => [name, value]))
}

function typeIn(content: Json = {}, name: string): string | undefined {
  return Object.keys(content).find(type => name in examplesOf(content[type]))
}
