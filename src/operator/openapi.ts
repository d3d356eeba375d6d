import { STATUS_CODES } from 'node:http'
import type { TSchema } from 'typebox'
import type { Deployment } from '../domain/deployment.ts'
import { ERRORS, type ErrorCode } from '../domain/errors.ts'
import { type Json, refer, referToHeaders } from '../http/openapi/references.ts'
import { buildSchemas } from '../http/openapi/schemas.ts'
import { errorBody, Pet, PetStatus, Pets } from '../http/schemas.ts'
import { COOKIE_NAMES } from './cookie.ts'
import { EXAMPLES, type Example } from './examples.ts'
import type { AdminOperation } from './operation.ts'
import { OPERATIONS } from './operations/all.ts'
import {
  AccountShape,
  AuditActionName,
  AuditShape,
  BanShape,
  IssuedKeyShape,
  KeyShape,
  OperatorShape,
  PlanName,
  RoleName,
  SessionShape,
  UsageShape,
} from './shapes.ts'

const SCHEMAS = buildSchemas({
  Pet,
  Pets,
  PetStatus,
  Account: AccountShape,
  Plan: PlanName as TSchema,
  Key: KeyShape,
  IssuedKey: IssuedKeyShape,
  Ban: BanShape,
  Session: SessionShape,
  Operator: OperatorShape,
  Role: RoleName as TSchema,
  Usage: UsageShape,
  AuditEntry: AuditShape,
  AuditAction: AuditActionName as TSchema,
  Error: errorBody(Object.keys(ERRORS)),
})

/** What any operation may be refused with. */
const ANYWHERE: readonly ErrorCode[] = [
  'malformed_request',
  'request_timeout',
  'uri_too_long',
  'expectation_failed',
  'headers_too_large',
  'missing_token',
  'invalid_token',
  'misdirected_request',
  'rate_limit_exceeded',
  'internal_error',
  'service_unavailable',
]
const WITH_QUERY: readonly ErrorCode[] = ['invalid_parameter']
const WITH_BODY: readonly ErrorCode[] = ['invalid_json', 'invalid_body', 'body_too_large', 'unsupported_media_type']
const WITH_MATCH: readonly ErrorCode[] = ['precondition_failed', 'precondition_required']

/** The OpenAPI 3.1 document of the admin API, made from its operations. */
export function buildOpenApi(deployment: Deployment): Json {
  const paths = Object.groupBy(OPERATIONS, ({ path }) => path)
  return {
    openapi: '3.1.1',
    info: {
      title: 'Petstore admin API',
      version: '1.0.0',
      summary: "The operators' side: animals, accounts, keys, usage, audit.",
      description: introduction(COOKIE_NAMES[deployment]),
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/admin/v1', description: 'This service' }],
    security: [{ token: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, operations = []]) => [
        path,
        Object.fromEntries(operations.map(one => [one.method.toLowerCase(), describeOperation(one)])),
      ]),
    ),
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'An operator token: `petstore token create`.' },
      },
      schemas: SCHEMAS.named,
      headers: HEADERS,
    },
  }
}

const TAGS = {
  Animals: 'What the public API lists: search it, add to it, correct it.',
  Accounts: 'Who may call the public API, and how often.',
  'Keys and bans': 'What accounts call with, and which keys are locked out for a while.',
  Records: 'How the service is used, and what operators did.',
  Session: 'Signing a browser in and out.',
}

function introduction(cookie: string): string {
  return `
What operators do beside the command line. Nothing here is reached with an API key, and nothing here is on the public port.

Send an operator token as \`Authorization: Bearer <TOKEN>\`; \`petstore token create\` makes one. The role \`staff\` may work with
animals and read everything, \`admin\` may do all. A browser signs in with \`POST /session\` and then sends its cookie, \`${cookie}\`, by itself;
every change it makes needs the session's \`X-CSRF-Token\` besides.

Every refusal is \`{"code","message","status"}\`. Lists come in pages: \`Link: <…>; rel="next"\` leads to the next one. Ids and
categories are integers of 64 bits, written digit for digit. Times are ISO 8601 in UTC. Everything that is changed here is written
into the audit log.
`.trim()
}

const text = { type: 'string' }

const HEADERS: Json = {
  'X-Request-Id': { description: 'The id of this call, as it stands in the log.', required: true, schema: text },
  Link: { description: 'Where the next page is; absent on the last one.', schema: text },
  ETag: { description: 'What the animal is like, for `If-Match`.', required: true, schema: text },
  Location: { description: 'Where it is.', required: true, schema: text },
  'Set-Cookie': { description: 'The session.', required: true, schema: text },
  'WWW-Authenticate': { description: 'The scheme that is wanted.', required: true, schema: text },
  'Retry-After': { description: 'Seconds to wait.', required: true, schema: { type: 'integer', minimum: 1 } },
}

function describeOperation(operation: AdminOperation): Json {
  const { id, tag, summary, description, role, body, status, answer } = operation
  const allowed = role === 'admin' ? 'Needs the role `admin`.' : undefined
  return {
    operationId: id,
    summary,
    description: [description, allowed].filter(part => part !== undefined).join(' ') || summary,
    tags: [tag],
    ...(role === 'anyone' && { security: [] }),
    parameters: parametersOf(operation),
    ...(body && {
      requestBody: { required: true, content: content(closed(SCHEMAS.describe(body)), examplesOf(id, 'body')) },
    }),
    responses: {
      [status]: {
        description: status === 204 ? 'Done.' : summary,
        headers: referToHeaders('X-Request-Id', ...headersOf(operation)),
        ...(status !== 204 && answer && { content: content(SCHEMAS.describe(answer), examplesOf(id, 'answer')) }),
      },
      ...refusalsOf(operation),
    },
  }
}

/** The forms of a body that has several are closed by themselves. */
function closed(schema: Json): Json {
  return schema.properties ? { ...schema, additionalProperties: false } : schema
}

function parametersOf({ id, path, query, method, etag, role }: AdminOperation): Json[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: 'Its id.',
    schema: { type: 'integer', format: 'int64' },
    ...examplesOf(id, 'id'),
  }))
  const inQuery = Object.entries(query?.properties ?? {}).map(([name, schema]) => {
    const { description, ...rest } = SCHEMAS.describe(schema)
    return {
      name,
      in: 'query',
      ...(description !== undefined && { description }),
      schema: exact(rest),
      ...examplesOf(id, 'query', name),
    }
  })
  const header = (name: string, description: string, required: boolean) => ({
    name,
    in: 'header',
    description,
    required,
    schema: text,
    ...examplesOf(id, 'headers', name),
  })
  const csrf =
    method === 'GET' || role === 'anyone'
      ? []
      : [header('X-CSRF-Token', "The session's, where a browser is signed in.", false)]
  const match = etag === 'wanted' ? [header('If-Match', 'The `ETag` of the animal as you saw it, or `*`.', true)] : []
  return [...inPath, ...inQuery, ...csrf, ...match]
}

/** The examples of a part of an operation, by their names, or none. */
function examplesOf(id: string, part: keyof Example, member?: string): Json {
  const examples = Object.entries(EXAMPLES[id] ?? {}).flatMap(([name, example]) => {
    const whole = example[part]
    const value = member === undefined ? whole : (whole as Json | undefined)?.[member]
    return value === undefined ? [] : [[name, { value }]]
  })
  return examples.length === 0 ? {} : { examples: Object.fromEntries(examples) }
}

/** A default that is a bigint cannot be written as JSON; the only one is 0. */
function exact(schema: Json): Json {
  return typeof schema.default === 'bigint' ? { ...schema, default: Number(schema.default) } : schema
}

function headersOf({ id, method, status, isPage, etag }: AdminOperation): string[] {
  return [
    ...(isPage ? ['Link'] : []),
    ...(etag && method !== 'DELETE' ? ['ETag'] : []),
    ...(status === 201 && id !== 'signIn' ? ['Location'] : []),
    ...(id === 'signIn' || id === 'signOut' ? ['Set-Cookie'] : []),
  ]
}

function refusalsOf({ role, method, query, body, etag, refusals = [] }: AdminOperation): Json {
  const codes = new Set<ErrorCode>([
    ...ANYWHERE.filter(code => role !== 'anyone' || !/token/.test(code)),
    ...(role === 'admin' ? ['role_insufficient' as const] : []),
    ...(method === 'GET' ? [] : ['csrf_refused' as const]),
    ...(query ? WITH_QUERY : []),
    ...(body ? WITH_BODY : []),
    ...(etag === 'wanted' ? WITH_MATCH : []),
    ...refusals,
  ])
  const byStatus = Object.groupBy(codes, code => ERRORS[code])
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, ofStatus = []]) => [
      status,
      {
        description: `${STATUS_CODES[status]}: ${ofStatus.map(code => `\`${code}\``).join(', ')}.`,
        headers: referToHeaders('X-Request-Id', ...(HEADERS_OF_STATUS[Number(status)] ?? [])),
        content: content(refer('schemas', 'Error')),
      },
    ]),
  )
}

const HEADERS_OF_STATUS: Record<number, readonly string[]> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

function content(schema: Json, examples: Json = {}): Json {
  return { 'application/json': { schema, ...examples } }
}
