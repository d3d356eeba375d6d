import { STATUS_CODES } from 'node:http'
import type { TSchema } from 'typebox'
import { formatCursor } from '../domain/cursor.ts'
import type { Deployment } from '../domain/deployment.ts'
import { ERRORS, type ErrorCode } from '../domain/errors.ts'
import { deprecationHeaders, SUNSET_AT } from './deprecation.ts'
import { introduction } from './openapi-introduction.ts'
import { REFUSAL_TEXTS } from './openapi-refusals.ts'
import { ErrorBody, ListQuery, NewPet, Pet, PetStatus, Pets } from './schemas.ts'

type Json = Record<string, unknown>
type Table<Value> = Record<string, Value>

/**
 * The OpenAPI 3.1 document of the public API, made from the schemas that validate and the codes that refuse.
 * @param publicUrls base addresses, with /v1; the first is what tools call by default
 */
export function buildOpenApi(publicUrls: Partial<Record<Deployment, string>>): object {
  const baseUrl = Object.values(publicUrls)[0] ?? '/v1'
  return {
    openapi: '3.1.1',
    info: {
      title: 'Petstore',
      version: '1.0.0',
      summary: 'The animals that a store offers.',
      description: introduction(),
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: Object.entries(publicUrls).map(([deployment, url]) => ({
      url,
      description: SERVERS[deployment as Deployment],
    })),
    security: [{ apiKey: [] }],
    tags: [{ name: 'Pets', description: 'The animals of the catalogue.' }],
    paths: {
      '/pets': { get: listPets(), post: createPet() },
      '/pets/{petId}': { get: getPet() },
    },
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'Your API key: `petstore_live_…` for production, `petstore_test_…` for staging.',
        },
      },
      schemas: mapValues(SCHEMAS, definition),
      parameters: parameters(),
      headers: headers(baseUrl),
      responses: mapKeys(refusals([...UNREAD, ...COUNTED], EVERY_ANSWER), responseName),
      examples: {
        ...mapValues(PET_EXAMPLES, value => ({ value })),
        ...mapValues(REFUSAL_TEXTS, ({ when, message }, code) => ({
          summary: when,
          value: { code, message, status: ERRORS[code] },
        })),
      },
    },
  }
}

const SERVERS: Record<Deployment, string> = {
  production: 'Production. Its keys begin with petstore_live_.',
  staging: 'Staging, for trying things out: data, keys and counters of its own. Its keys begin with petstore_test_.',
}

// ---- Operations

/** Refused before the operation is known. */
const UNREAD: ErrorCode[] = [
  'malformed_request',
  'request_timeout',
  'uri_too_long',
  'expectation_failed',
  'headers_too_large',
]
/** What every operation can answer. */
const COUNTED: ErrorCode[] = [
  'missing_api_key',
  'invalid_api_key',
  'rate_limit_exceeded',
  'api_key_banned',
  'internal_error',
  'service_unavailable',
]

const LIMITS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'RateLimit-Policy', 'RateLimit']
const EVERY_ANSWER = [...LIMITS, 'X-Request-Id']
const CACHED = ['ETag', 'Cache-Control']
const DEPRECATED = ['Deprecation', 'Sunset']
