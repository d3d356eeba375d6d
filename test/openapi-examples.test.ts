import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { call } from './support/call.ts'
import { formatPublished } from './support/published-openapi.ts'
import { startWithAnimals } from './support/service-with-animals.ts'

// What the document shows can be sent as it is, to a service with the animals of the demonstration.

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is walked, not modelled
type Json = any

const document: Json = JSON.parse(formatPublished())
const operations = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
  Object.entries<Json>(methods).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
)

test('every example of a request is answered as the example of the same name says', async t => {
  const service = await startWithAnimals({ after }, 'production')
  const { key } = await service.createCaller()
  for (const { operationId, path, method, parameters, requestBody, responses } of operations) {
    const bodies = examplesOf(requestBody?.content['application/json'])
    const inputs = parameters.map(resolve).map((parameter: Json) => ({ ...parameter, values: examplesOf(parameter) }))
    const names = new Set([bodies, ...inputs.map(({ values }: Json) => values)].flatMap(values => Object.keys(values)))
    assert.ok(names.size > 0, `${operationId} has examples`)
    for (const name of names) {
      await t.test(`${operationId}: ${name}`, async () => {
        const given = (place: string): [string, string][] =>
          inputs
            .filter((input: Json) => input.in === place && input.values[name] !== undefined)
            .map((input: Json) => [input.name, String(input.values[name])])
        const inPath = given('path').reduce((text, [one, value]) => text.replace(`{${one}}`, value), path)
        const target = `/v1${inPath}?${new URLSearchParams(given('query'))}`
        const body = bodies[name] && JSON.stringify(bodies[name])
        const answer = await call(service, { method, path: target, key, headers: given('header'), body })
        const expected = Object.entries<Json>(responses)
          .map(([status, response]) => ({
            status,
            values: examplesOf(resolve(response).content?.['application/json']),
          }))
          .filter(({ values }) => name in values)
        assert.deepEqual(
          expected.map(({ status }) => status),
          [String(answer.status)],
        )
        assert.deepEqual(answer.json, expected[0]?.values[name])
      })
    }
  }
})

test('an example without a name is accepted wherever it may be sent', async () => {
  const service = await startWithAnimals({ after }, 'production')
  const { key } = await service.createCaller()
  for (const { path, method, parameters, requestBody } of operations) {
    const headers = parameters
      .map(resolve)
      .filter(({ in: place, example }: Json) => place === 'header' && example !== undefined)
      .map(({ name, example }: Json) => [name, String(example)])
    const [body] = Object.values(examplesOf(requestBody?.content['application/json']))
    const target = `/v1${path.replace('{petId}', '1')}`
    const answer = await call(service, { method, path: target, key, headers, body: body && JSON.stringify(body) })
    assert.ok(answer.status < 300, answer.text)
  }
})

test('no example is shown that no service accepts: values that a store creates have no example, or a marked one', () => {
  const { cursor, IdempotencyKey } = document.components.parameters
  assert.deepEqual(examplesOf(cursor), {})
  assert.deepEqual(examplesOf(IdempotencyKey), {})
  assert.match(document.components.headers.PageLink.example, /cursor=CURSOR>/)
  assert.match(document.components.headers.PageLink.description, /`CURSOR` in the example is a placeholder/)
})

function examplesOf(part: Json = {}): Record<string, Json> {
  return Object.fromEntries(Object.entries<Json>(part.examples ?? {}).map(([name, one]) => [name, resolve(one).value]))
}

function resolve(part: Json): Json {
  if (typeof part.$ref !== 'string') return part
  return part.$ref
    .split('/')
    .slice(1)
    .reduce((value: Json, step: string) => value[step], document)
}
