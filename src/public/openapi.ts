import type { Deployment } from '../domain/deployment.ts'
import { type Json, refer, referToHeaders } from '../http/openapi/references.ts'
import { SUNSET_AT } from './deprecation.ts'
import { ANSWERED_CODES, answer, content, refusals, sharedRefusals } from './openapi/answers.ts'
import { PET_EXAMPLES, refusalExample } from './openapi/examples.ts'
import { buildHeaders } from './openapi/headers.ts'
import { introduction } from './openapi/introduction.ts'
import { PARAMETERS } from './openapi/parameters.ts'
import { SCHEMAS } from './openapi/schemas.ts'

/**
 * The OpenAPI 3.1 document of the public API, made from the schemas that validate and the codes that refuse.
 * @param publicUrls base addresses, with /v1; tools call the first by default
 */
export function buildOpenApi(publicUrls: Partial<Record<Deployment, string>>): object {
  const baseUrl = Object.values(publicUrls)[0] ?? ''
  return {
    openapi: '3.1.1',
    info: {
      title: 'Petstore',
      version: '1.0.0',
      summary: 'The animals that a store offers.',
      description: introduction(baseUrl),
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    externalDocs: { description: 'Guides', url: baseUrl.replace(/\/v1$/, '/docs/guides') },
    servers: Object.entries(publicUrls).map(([deployment, url]) => {
      return { url, description: SERVERS[deployment as Deployment] }
    }),
    security: [{ apiKey: [] }],
    tags: [{ name: 'Pets', description: 'The animals of the catalogue.' }],
    paths: {
      '/pets': { get: LIST_PETS, post: CREATE_PET },
      '/pets/{petId}': { get: GET_PET },
    },
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'Your API key: `petstore_live_…` for production, `petstore_test_…` for staging.',
        },
      },
      schemas: SCHEMAS,
      parameters: PARAMETERS,
      headers: buildHeaders(baseUrl),
      responses: sharedRefusals(),
      examples: {
        ...PET_EXAMPLES,
        ...Object.fromEntries(ANSWERED_CODES.map(code => [code, refusalExample(code)])),
      },
    },
  }
}

const SERVERS: Record<Deployment, string> = {
  production: 'Production',
  staging: 'Staging, with animals, keys and counters of its own',
}

const CACHED = referToHeaders('ETag', 'Cache-Control')
const CACHED_PAGE = { ...CACHED, Link: refer('headers', 'PageLink') }
const DEPRECATED = { ...referToHeaders('Deprecation', 'Sunset'), Link: refer('headers', 'DeprecationLink') }
const UNCHANGED = 'Not changed since the answer whose `ETag` was sent.'

const LIST_PETS = {
  operationId: 'listPets',
  summary: 'List animals',
  description:
    'Returns a page of animals by ascending `id`. The `Link` header leads to the next page; it names none on the last page.',
  tags: ['Pets'],
  parameters: parameters('limit', 'status', 'cursor', 'IfNoneMatch', 'RequestId'),
  responses: {
    200: answer('A page of animals.', CACHED_PAGE, 'Pets', { firstTwo: 'firstTwo', sold: 'sold' }),
    304: answer(UNCHANGED, CACHED_PAGE),
    ...refusals(['invalid_parameter', 'invalid_cursor']),
  },
}

const CREATE_PET = {
  operationId: 'createPet',
  summary: 'Add an animal',
  description:
    'Adds a new animal, and answers when it is stored durably. With an `Idempotency-Key` the call may be sent again safely.',
  tags: ['Pets'],
  parameters: parameters('IdempotencyKey', 'RequestId'),
  requestBody: {
    required: true,
    description: 'The animal to add, in at most 65,536 bytes.',
    content: content(refer('schemas', 'NewPet'), { available: 'newPet', sold: 'newSoldPet' }),
  },
  responses: {
    201: answer('The animal, with the `id` it was given.', referToHeaders('Location', 'Idempotency-Replayed'), 'Pet', {
      available: 'addedPet',
      sold: 'addedSoldPet',
    }),
    ...refusals([
      'invalid_json',
      'invalid_body',
      'invalid_idempotency_key',
      'idempotency_in_progress',
      'body_too_large',
      'unsupported_media_type',
      'idempotency_key_reused',
    ]),
  },
}

const GET_PET = {
  operationId: 'getPet',
  summary: 'Read one animal',
  description:
    'Returns one animal. **Deprecated:** this operation is removed on 5 December 2030 and answers 410 from then on. ' +
    'Use `GET /pets` with the `status` filter instead.',
  deprecated: true,
  'x-sunset': new Date(SUNSET_AT).toISOString().slice(0, 10),
  tags: ['Pets'],
  parameters: parameters('petId', 'IfNoneMatch', 'RequestId'),
  responses: {
    200: answer('The animal.', { ...CACHED, ...DEPRECATED }, 'Pet', { rex: 'rex' }),
    304: answer(UNCHANGED, { ...CACHED, ...DEPRECATED }),
    ...refusals(['pet_not_found', 'operation_removed'], DEPRECATED),
  },
}

function parameters(...names: (keyof typeof PARAMETERS)[]): Json[] {
  return names.map(name => refer('parameters', name))
}
