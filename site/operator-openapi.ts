import { STATUS_CODES } from 'node:http'
import { COOKIE_NAMES } from '../src/operator/cookie.ts'
import { ENTRY_HEADER, type Example } from '../src/operator/handler.ts'
import { ADMIN_PATH, type AdminOperation } from '../src/operator/operation.ts'
import { OPERATIONS_BY_TAG } from '../src/operator/routes.ts'
import { ERRORS, type ErrorCode } from '../src/schema/error-codes.ts'
import { Schemas } from '../src/schema/openapi/components.ts'
import { describeExamples, describePaths } from '../src/schema/openapi/paths.ts'
import { type Json, referToHeaders } from '../src/schema/openapi/references.ts'
import { ENTRY_OF_ACTION } from '../src/schema/responses/audit.ts'
import { ErrorJson } from '../src/schema/responses/errors.ts'

const SCHEMAS = new Schemas()

/** Errors that every operation can return. */
const ANYWHERE: readonly ErrorCode[] = [
  'malformed_request',
  'request_timeout',
  'uri_too_long',
  'expectation_failed',
  'headers_too_large',
  'missing_token',
  'invalid_token',
  'https_required',
  'misdirected_request',
  'rate_limit_exceeded',
  'internal_error',
  'service_unavailable',
]

/** The OpenAPI 3.1 document of the admin API, made from its operations. */
export function buildOpenApi(): Json {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Petstore admin API',
      version: '1.0.0',
      summary: 'Manage animals, accounts and keys; read usage and the audit log.',
      description: INTRODUCTION,
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: ADMIN_PATH, description: 'This service' }],
    security: [{ token: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: describePaths(TAGGED_OPERATIONS, describeOperation),
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'An operator token: `petstore token create`.' },
      },
      schemas: SCHEMAS.named,
      headers: HEADERS,
    },
  }
}

const TAGS: Record<keyof typeof OPERATIONS_BY_TAG, string> = {
  Animals: 'The animals that the public API lists.',
  Sources: 'Files that other software writes again and again, and the ids that it gives its animals.',
  Categories: 'The labels that operators give to categories of animals.',
  Accounts: 'Who may call the public API, and how often.',
  'Keys and bans': 'API keys, the links that hand them over, and bans.',
  Records: 'Usage and the audit log.',
  'Operator tokens': 'The credentials of your colleagues.',
  Service: 'The running program: its version, health and settings.',
  Session: 'Sign a browser in and out.',
}

const INTRODUCTION = `
Manage Petstore without the command line. The admin API does not accept API keys and is not served on the public port.

Send an operator token as \`Authorization: Bearer <TOKEN>\`; \`petstore token create\` creates the first one. The role \`staff\` can manage
animals and read everything except tokens; \`admin\` can do everything; \`feed\` can send the file of one source. To sign in, a browser calls
\`POST /session\` with a token, or with the secret of the link that \`petstore console\` prints. It then sends the session cookie,
\`${COOKIE_NAMES.production}\` (on staging, \`${COOKIE_NAMES.staging}\`). Every change must also have the session's
\`X-CSRF-Token\`.

Every error is \`{"code","message","status"}\`. If body members or query parameters are invalid, \`errors\` lists all of
them, each with its \`member\` and a \`message\`. Lists are paginated: \`Link: <…>; rel="next"\` points to the next page. Ids and
categories are 64-bit integers, written in full. Times are ISO 8601 in UTC. Every change is recorded in the audit log.

Everything that you create takes an \`Idempotency-Key\`. The same request with the same key gets the first answer again for 24 hours, with
\`Idempotency-Replayed: true\`, and creates nothing. Use a new random key for each creation: the key also opens what the service keeps of the
answer, such as a secret that is shown once.
`.trim()

type TaggedOperation = AdminOperation & { tag: string }

const TAGGED_OPERATIONS = Object.entries(OPERATIONS_BY_TAG).flatMap(([tag, operations]) =>
  operations.map((operation): TaggedOperation => ({ ...operation, tag })),
)

const string = { type: 'string' }

const HEADERS: Json = {
  'X-Request-Id': { description: 'The id of this call, as in the log.', required: true, schema: string },
  Link: { description: 'The next page; absent on the last page.', schema: string },
  ETag: { description: 'The version of the resource, for `If-Match`.', required: true, schema: string },
  [ENTRY_HEADER]: { description: ENTRY_OF_ACTION, schema: { type: 'integer', format: 'int64' } },
  Location: { description: 'The path of the created resource.', required: true, schema: string },
  'Idempotency-Replayed': {
    description: 'Present if this repeats the first response: nothing was created again.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Content-Disposition': { description: 'The suggested file name.', required: true, schema: string },
  'Set-Cookie': { description: 'The session cookie.', required: true, schema: string },
  'WWW-Authenticate': { description: 'The required authentication scheme.', required: true, schema: string },
  'Retry-After': {
    description: 'Seconds to wait before retrying.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
}

function describeOperation(operation: TaggedOperation): Json {
  const { id, tag, summary, description, role, status } = operation
  const [taken, returned] = [takenBy(operation), returnedBy(operation)]
  const allowed = role === 'admin' ? 'Needs the role `admin`.' : undefined
  return {
    operationId: id,
    summary,
    description: [description, allowed].filter(part => part !== undefined).join(' ') || summary,
    tags: [tag],
    ...(role === 'anyone' && { security: [] }),
    parameters: parametersOf(operation),
    ...(taken && { requestBody: { required: true, content: taken } }),
    responses: {
      [status]: {
        description: returned ? summary : 'Done.',
        headers: referToHeaders('X-Request-Id', ...traitsOf(operation).flatMap(({ returns = [] }) => returns)),
        ...(returned && { content: returned }),
      },
      ...errorsOf(operation),
    },
  }
}

/** The media types of the body that an operation takes; undefined if it takes none. */
function takenBy({ body, upload, examples }: AdminOperation): Json | undefined {
  if (upload) return contentOfTypes(upload, examples, example => [example.bodyType, example.body])
  if (!body) return undefined
  return content(
    closed(SCHEMAS.describe(body)),
    describeExamples(examples, example => example.body),
  )
}

/** The media types of the response; undefined if it has no body. */
function returnedBy({ response, download, examples }: AdminOperation): Json | undefined {
  if (download) return contentOfTypes(download, examples, example => [example.responseType, example.response])
  if (!response) return undefined
  return content(
    SCHEMAS.describe(response),
    describeExamples(examples, example => example.response),
  )
}

/** @param partOf returns the media type of an example, if that is not the first one, and its text */
function contentOfTypes(
  types: readonly string[],
  examples: AdminOperation['examples'],
  partOf: (example: Example) => [type: string | undefined, text: unknown],
): Json {
  const describe = (type: string) =>
    describeExamples(examples, example => {
      const [own = types[0], text] = partOf(example)
      return own === type ? text : undefined
    })
  return Object.fromEntries(types.map(type => [type, { schema: string, ...describe(type) }]))
}

/** If a body has several forms, each of them is already closed. */
function closed(schema: Json): Json {
  return schema.properties ? { ...schema, additionalProperties: false } : schema
}

function parametersOf(operation: AdminOperation): Json[] {
  const { path, query, examples } = operation
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    ...(name === 'name'
      ? { description: 'The name.', schema: string }
      : { description: 'The id.', schema: { type: 'integer', format: 'int64' } }),
    ...describeExamples(examples, ({ id }) => id),
  }))
  const inQuery = Object.entries(query?.properties ?? {}).map(([name, schema]) => {
    const { description, ...rest } = SCHEMAS.describe(schema)
    return {
      name,
      in: 'query',
      ...(description !== undefined && { description }),
      schema: exact(rest),
      ...describeExamples(examples, ({ query }) => query?.[name]),
    }
  })
  const inHeader = traitsOf(operation).flatMap(({ header }) => {
    if (!header) return []
    return { ...header, ...describeExamples(examples, ({ headers }) => headers?.[header.name]) }
  })
  return [...inPath, ...inQuery, ...inHeader]
}

/** What a trait of an operation adds to its description. */
interface Trait {
  applies(operation: AdminOperation): unknown
  /** A header of the request. */
  header?: ReturnType<typeof header>
  /** A header of the response. */
  returns?: string
  errors?: readonly ErrorCode[]
}

function header(name: string, description: string, required = false, schema: Json = string) {
  return { name, in: 'header', description, required, schema }
}

const UPLOAD_ERRORS = ['body_too_large', 'unsupported_media_type'] as const

const TRAITS: readonly Trait[] = [
  { applies: ({ role }) => role !== 'anyone', errors: ['role_insufficient'] },
  { applies: ({ method }) => method !== 'GET', errors: ['csrf_refused', 'store_full'] },
  { applies: ({ path }) => path.includes('{'), errors: ['not_found'] },
  { applies: ({ query }) => query, errors: ['invalid_parameter'] },
  { applies: ({ body }) => body, errors: ['invalid_json', 'invalid_body', ...UPLOAD_ERRORS] },
  { applies: ({ upload }) => upload, errors: UPLOAD_ERRORS },
  {
    applies: ({ method, role }) => method !== 'GET' && role !== 'anyone',
    header: header('X-CSRF-Token', 'Required with a session cookie.'),
  },
  { applies: ({ edges }) => edges.length > 0, returns: 'Link' },
  { applies: ({ hasETag }) => hasETag, returns: 'ETag' },
  { applies: ({ namesEntry }) => namesEntry, returns: ENTRY_HEADER },
  { applies: ({ location }) => location, returns: 'Location' },
  { applies: ({ setsCookie }) => setsCookie, returns: 'Set-Cookie' },
  { applies: ({ download }) => download && !download.includes('text/event-stream'), returns: 'Content-Disposition' },
  {
    applies: ({ ifMatch }) => ifMatch === 'required',
    header: header('If-Match', 'The `ETag` of the animal as you read it, or `*`.', true),
    errors: ['precondition_failed', 'precondition_required'],
  },
  {
    applies: ({ isRepeatable }) => isRepeatable,
    // It has no example: it must be new for each creation, so tools that send the example would be refused.
    header: header(
      'Idempotency-Key',
      'Makes it safe to retry this request. 1 to 255 visible ASCII characters that no one can guess, such as a random UUID; use a new key for each creation.',
      false,
      { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
    ),
    returns: 'Idempotency-Replayed',
    errors: ['invalid_idempotency_key', 'idempotency_in_progress', 'idempotency_key_reused'],
  },
  {
    applies: ({ ifMatch }) => ifMatch === 'optional',
    header: header('If-Match', 'The `ETag` that you read. The request is refused if it has changed since.'),
    errors: ['precondition_failed'],
  },
]

function traitsOf(operation: AdminOperation): Trait[] {
  return TRAITS.filter(({ applies }) => applies(operation))
}

/** JSON has no bigint; the only bigint default is 0. */
function exact(schema: Json): Json {
  return typeof schema.default === 'bigint' ? { ...schema, default: Number(schema.default) } : schema
}

function errorsOf(operation: AdminOperation): Json {
  const isOpen = operation.role === 'anyone'
  const codes = new Set<ErrorCode>([
    ...ANYWHERE.filter(code => !isOpen || !/token/.test(code)),
    ...traitsOf(operation).flatMap(({ errors = [] }) => errors),
    ...(operation.errors ?? []),
  ])
  const byStatus = Object.groupBy(codes, code => ERRORS[code])
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, ofStatus = []]) => [
      status,
      {
        description: `${STATUS_CODES[status]}: ${ofStatus.map(code => `\`${code}\``).join(', ')}.`,
        headers: {
          ...referToHeaders('X-Request-Id', ...(HEADERS_OF_STATUS[Number(status)] ?? [])),
          ...(ofStatus.includes('idempotency_in_progress') && { 'Retry-After': RETRY_AFTER_PROGRESS }),
        },
        content: content(SCHEMAS.describe(ErrorJson)),
      },
    ]),
  )
}

const RETRY_AFTER_PROGRESS: Json = {
  description: 'Seconds to wait before retrying; present if the same request is still in progress.',
  schema: { type: 'integer', minimum: 1 },
}

const HEADERS_OF_STATUS: Record<number, readonly string[]> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

function content(schema: Json, examples: Json = {}): Json {
  return { 'application/json': { schema, ...examples } }
}
