import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { buildOpenApi } from '../../site/operator-openapi.ts'
import { OPERATIONS } from '../../src/operator/routes.ts'
import { ERRORS, type ErrorCode } from '../../src/schema/error-codes.ts'
import { startOperatorService } from '../support/operator.ts'

// The document of the admin API. The other tests in this folder check every response against it.

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is walked, not modelled
type Json = any

const document: Json = JSON.parse(JSON.stringify(buildOpenApi()))
const operations = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
  Object.entries<Json>(methods).map(([method, operation]) => ({ path, method, ...operation })),
)

test('the listener serves the document, without a token', async () => {
  const service = await startOperatorService({ after })
  const answer = await service.ask('GET', '/openapi.json', { token: null })
  assert.equal(answer.header('content-type'), 'application/json')
  assert.deepEqual(answer.json, document)
})

test('the document has exactly the operations of the service', () => {
  assert.deepEqual(
    operations.map(({ operationId, method, path }) => `${operationId} ${method} ${path}`).toSorted(),
    OPERATIONS.map(({ id, method, path }) => `${id} ${method.toLowerCase()} ${path}`).toSorted(),
  )
})

test('the document says which role an operation requires', () => {
  for (const { operationId, description, security, responses } of operations) {
    const role = OPERATIONS.find(({ id }) => id === operationId)?.role
    assert.equal(/Needs the role `admin`/.test(description), role === 'admin', operationId)
    assert.deepEqual(security, role === 'anyone' ? [] : undefined)
    assert.match(responses[403]?.description ?? '', /role_insufficient/, operationId)
  }
  assert.deepEqual(document.security, [{ token: [] }])
  assert.match(
    document.info.description,
    /the session cookie,\s`petstore_session_live` \(on staging, `petstore_session_test`\)/,
  )
})

test('every change may have the CSRF token; a correction or deletion of an animal requires If-Match, and others may have it', () => {
  for (const { operationId, method, parameters } of operations) {
    const named = (name: string) => parameters.find((parameter: Json) => parameter.name === name)
    assert.equal(Boolean(named('X-CSRF-Token')), method !== 'get' && operationId !== 'signIn', operationId)
    const ofAccount = /^(rename|suspend|resume|delete)Account$|^setPlan$/.test(operationId)
    const mayHave = ofAccount || operationId === 'restorePet'
    const isRequired = /^(correct|delete)Pet$/.test(operationId) || (mayHave ? false : undefined)
    assert.equal(named('If-Match')?.required, isRequired, operationId)
  }
})

test('a creation that can be repeated documents its key, and the header of a repeated answer', () => {
  for (const { operationId, parameters, responses } of operations) {
    const isRepeatable = OPERATIONS.find(({ id }) => id === operationId)?.isRepeatable === true
    const success = Object.keys(responses).find(status => status.startsWith('2')) ?? ''
    const names = parameters.map(({ name }: Json) => name)
    assert.equal(names.includes('Idempotency-Key'), isRepeatable, operationId)
    assert.equal('Idempotency-Replayed' in responses[success].headers, isRepeatable, operationId)
    assert.equal(/idempotency_key_reused/.test(responses[422]?.description ?? ''), isRepeatable, operationId)
  }
})

test('every operation has a tag with a description', () => {
  const described = document.tags.map(({ name }: Json) => name)
  assert.deepEqual([...new Set(operations.flatMap(({ tags }) => tags))], described)
})

test('every error code is listed with its status', () => {
  for (const { operationId, responses } of operations) {
    for (const [status, { description }] of Object.entries<Json>(responses)) {
      const codes = Number(status) < 400 ? [] : [...description.matchAll(/`(\w+)`/g)].map(([, code]) => code)
      assert.equal(codes.length > 0, Number(status) >= 400)
      for (const code of codes) assert.equal(ERRORS[code as ErrorCode], Number(status), `${operationId} ${code}`)
    }
  }
})

test('an id is an integer of format int64, without bounds that a parser could round', () => {
  const { Pet, Account, Key, Ban, AuditEntry } = document.components.schemas
  for (const { properties } of [Pet, Account, Key, Ban, AuditEntry]) {
    const { description: _, ...schema } = properties.id
    assert.deepEqual(schema, { type: 'integer', format: 'int64' })
  }
})

test('the document contains nothing that is for the service only', () => {
  assert.doesNotMatch(JSON.stringify(document), /"rule"|"bigint"|"~|\/src\//)
})
