import type { Deployment } from '../domain/deployment.ts'
import { API_VERSION } from '../schema/api-version.ts'
import { SUNSET_AT } from '../schema/deprecation.ts'
import { PUBLIC_ERRORS, type PublicErrorCode } from '../schema/error-codes.ts'
import { bytes, MAX_BODY_BYTES } from '../schema/limits.ts'
import { Schemas } from '../schema/openapi/components.ts'
import { describeExamples, describePaths } from '../schema/openapi/paths.ts'
import { type Json, refer } from '../schema/openapi/references.ts'
import { uniquely } from '../schema/openapi/uniquely.ts'
import { errorBody, NewPet, Pet, PetStatus, Pets } from '../schema/pet-schemas.ts'
import type { TSchema } from '../schema/type.ts'
import { REQUEST_HEADERS, type ResponseHeader, responseHeaders } from './headers.ts'
import { EXAMPLES, type Example, errorExample } from './openapi/examples.ts'
import { introduction } from './openapi/introduction.ts'
import { content, DOCUMENTED_CODES, refusals, response, sharedRefusals } from './openapi/responses.ts'
import type { PublicOperation } from './operation.ts'
import { OPERATIONS } from './routes.ts'

const SCHEMAS = new Schemas([Pet, NewPet, Pets, PetStatus, errorBody(Object.keys(PUBLIC_ERRORS), {})])

/**
 * The OpenAPI 3.1 document of the public API, made from its operations, their schemas and the error codes.
 * @param publicUrls base addresses, with /v1; tools call the first by default
 */
export function buildOpenApi(publicUrls: Partial<Record<Deployment, string>>, operations = OPERATIONS): object {
  const baseUrl = Object.values(publicUrls)[0] ?? ''
  return {
    openapi: '3.1.1',
    info: {
      title: 'Petstore',
      version: API_VERSION,
      summary: 'The animals that a store offers.',
      description: introduction(baseUrl),
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    externalDocs: { description: 'Guides', url: baseUrl.replace(/\/v1$/, '/docs/guides') },
    servers: Object.entries(publicUrls).map(([deployment, url]) => {
      return { url, description: SERVERS[deployment as Deployment] }
    }),
    security: [{ apiKey: [] }],
    tags: [{ name: TAG, description: 'The animals in the catalogue.' }],
    paths: describePaths(operations, describeOperation),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'Your API key: `petstore_live_…` for production, `petstore_test_…` for staging.',
        },
      },
      schemas: SCHEMAS.named,
      parameters: uniquely('parameters', [...describeParameters(operations), ...Object.entries(REQUEST_HEADERS)]),
      headers: responseHeaders(baseUrl),
      responses: sharedRefusals(),
      examples: uniquely('examples', [
        ...Object.entries(EXAMPLES),
        ...DOCUMENTED_CODES.map(code => [code, errorExample(code)] as const),
      ]),
    },
  }
}

const TAG = 'Pets'

const SERVERS: Record<Deployment, string> = {
  production: 'Production',
  staging: 'Staging, with its own animals, keys and counters',
}

function describeOperation(operation: PublicOperation): Json {
  const { method, id, summary, description, body, status, returns, isDeprecated } = operation
  const { parameters, headers, errors } = traitsOf(operation)
  const described = parametersOf(operation).map(({ name }) => name)
  return {
    operationId: id,
    summary,
    description,
    ...(isDeprecated && { deprecated: true, 'x-sunset': new Date(SUNSET_AT).toISOString().slice(0, 10) }),
    tags: [TAG],
    parameters: [...described, ...parameters, 'RequestId'].map(name => refer('parameters', name)),
    ...(body && {
      requestBody: {
        required: true,
        description: `At most ${bytes(MAX_BODY_BYTES)}.`,
        content: content(SCHEMAS.describe(body), examplesOf(operation, 'body')),
      },
    }),
    responses: {
      [status]: response(returns, method === 'GET' ? [...headers, 'Content-Encoding'] : headers, {
        schema: SCHEMAS.describe(operation.response),
        examples: examplesOf(operation, 'response'),
      }),
      ...(method === 'GET' && {
        304: response('Nothing has changed since the response whose `ETag` was sent.', headers),
      }),
      ...refusals(errors, isDeprecated ? DEPRECATED.headers : []),
    },
  }
}

/** By name. Operations whose parameters have the same name describe it in the same way, and each adds its examples. */
function describeParameters(operations: readonly PublicOperation[]): [name: string, described: Json][] {
  const all = operations.flatMap(operation => parametersOf(operation).map(parameter => ({ ...parameter, operation })))
  const described = all.map(({ name, in: place, schema }) => {
    const { description, ...members } = SCHEMAS.describe(schema)
    const required = place === 'path' && { required: true }
    return [name, { name, in: place, ...required, description, schema: members }] as const
  })
  return Object.entries(uniquely('parameters', described)).map(([name, parameter]) => {
    const uses = all.filter(use => use.name === name).flatMap(({ operation }) => Object.entries(operation.examples))
    const examples = uniquely(`examples of "${name}"`, uses)
    const valueIn = ({ parameter: inPath, query }: Example) => (parameter.in === 'path' ? inPath : query?.[name])
    return [name, { ...parameter, ...describeExamples(examples, valueIn) }]
  })
}

interface Parameter {
  name: string
  in: 'path' | 'query'
  schema: TSchema
}

function parametersOf({ id, path, parameter, query }: PublicOperation): Parameter[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']): Parameter => {
    if (!parameter) throw new Error(`${id} does not describe its parameter "${name}".`)
    return { name, in: 'path', schema: parameter }
  })
  const inQuery = Object.entries(query?.properties ?? {}).map(([name, schema]): Parameter => {
    return { name, in: 'query', schema }
  })
  return [...inQuery, ...inPath]
}

/** The examples of its bodies, by name. A request and its response have the same name, so that tools show them together. */
function examplesOf({ examples }: PublicOperation, part: 'body' | 'response'): Record<string, string> {
  return Object.fromEntries(
    Object.entries(examples).flatMap(([name, { [part]: component }]) => (component ? [[name, component]] : [])),
  )
}

/** What a trait of an operation adds to its description. */
interface Trait {
  /** Names of components. */
  parameters?: readonly (keyof typeof REQUEST_HEADERS)[]
  headers?: readonly ResponseHeader[]
  errors?: readonly PublicErrorCode[]
}

const READ: Trait = { parameters: ['IfNoneMatch'], headers: ['ETag', 'Cache-Control', 'Vary'] }
const PAGE: Trait = { headers: ['PageLink'] }
const CREATION: Trait = { headers: ['Location'] }
const WRITE: Trait = { errors: ['insufficient_scope', 'store_full'] }
const WITH_QUERY: Trait = { errors: ['invalid_parameter'] }
const WITH_BODY: Trait = { errors: ['invalid_json', 'invalid_body', 'body_too_large', 'unsupported_media_type'] }
const IDEMPOTENT: Trait = {
  parameters: ['IdempotencyKey'],
  headers: ['Idempotency-Replayed'],
  errors: ['invalid_idempotency_key', 'idempotency_in_progress', 'idempotency_key_reused'],
}
const DEPRECATED: Trait = { headers: ['Deprecation', 'Sunset', 'DeprecationLink'], errors: ['operation_removed'] }

function traitsOf({ method, status, query, body, isPage, isIdempotent, isDeprecated, errors = [] }: PublicOperation) {
  const traits: readonly Trait[] = [
    ...(method === 'GET' ? [READ] : []),
    ...(isPage ? [PAGE] : []),
    ...(method === 'GET' ? [] : [WRITE]),
    ...(status === 201 ? [CREATION] : []),
    ...(query ? [WITH_QUERY] : []),
    ...(body ? [WITH_BODY] : []),
    ...(isIdempotent ? [IDEMPOTENT] : []),
    { errors },
    ...(isDeprecated ? [DEPRECATED] : []),
  ]
  return {
    parameters: traits.flatMap(({ parameters = [] }) => parameters),
    headers: traits.flatMap(({ headers = [] }) => headers),
    errors: traits.flatMap(({ errors = [] }) => errors),
  }
}
