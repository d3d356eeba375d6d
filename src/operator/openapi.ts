import type { Deployment } from '../domain/deployment.ts'
import { STATUS_CODES } from '../http/node-http.ts'
import { ERRORS, type ErrorCode } from '../schema/error-codes.ts'
import { buildSchemas } from '../schema/openapi/components.ts'
import { describeExamples, describePaths } from '../schema/openapi/paths.ts'
import { type Json, refer, referToHeaders } from '../schema/openapi/references.ts'
import * as json from '../schema/operator-schemas.ts'
import { BadLineJson, CsvPreviewJson, ImportReportJson, RunningImportJson } from '../schema/pet-file-schemas.ts'
import { errorBody, PetStatus } from '../schema/pet-schemas.ts'
import { type TSchema, Type } from '../schema/type.ts'
import { COOKIE_NAMES } from './cookie.ts'
import type { Example } from './handler.ts'
import { ADMIN_PATH, type AdminOperation } from './operation.ts'
import { OPERATIONS, OPERATIONS_BY_TAG } from './routes.ts'

const SCHEMAS = buildSchemas({
  Pet: json.PetJson,
  PetStatus,
  PetTotals: json.PetTotalsJson,
  PetPreview: json.PetPreviewJson,
  PetEvent: json.PetEventJson,
  Category: json.CategoryJson,
  CategoryUse: json.CategoryUseJson,
  Account: json.AccountJson,
  Windows: json.WindowsJson,
  Plan: json.PlanName as TSchema,
  Key: json.KeyJson,
  IssuedKey: json.IssuedKeyJson,
  ClaimLink: json.ClaimLinkJson,
  IssuedClaimLink: json.IssuedClaimLinkJson,
  Ban: json.BanJson,
  Token: json.TokenJson,
  IssuedToken: json.IssuedTokenJson,
  Session: json.SessionJson,
  Operator: json.OperatorJson,
  Role: json.RoleName as TSchema,
  Usage: json.UsageJson,
  DeprecatedUsage: json.DeprecatedUsageJson,
  AuditEntry: json.AuditEntryJson,
  ImportReport: ImportReportJson,
  RunningImport: RunningImportJson,
  CsvPreview: CsvPreviewJson,
  BadLine: BadLineJson,
  AuditAction: json.AuditActionName as TSchema,
  Version: json.RunningVersionJson,
  Health: json.HealthJson,
  HealthPart: json.HealthPart,
  Setting: json.SettingJson,
  Doctor: json.DoctorJson,
  Finding: json.Finding,
  Error: errorBody(Object.keys(ERRORS), { errors: Type.Optional(json.Problems) }),
})

/** The errors of every operation. */
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
const WITH_QUERY: readonly ErrorCode[] = ['invalid_parameter']
const WITH_UPLOAD: readonly ErrorCode[] = ['body_too_large', 'unsupported_media_type']
const WITH_BODY: readonly ErrorCode[] = ['invalid_json', 'invalid_body', ...WITH_UPLOAD]
const WITH_MATCH: readonly ErrorCode[] = ['precondition_failed', 'precondition_required']

/** The OpenAPI 3.1 document of the admin API, made from its operations. */
export function buildOpenApi(deployment: Deployment): Json {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Petstore admin API',
      version: '1.0.0',
      summary: 'Manage animals, accounts and keys; read usage and the audit log.',
      description: introduction(COOKIE_NAMES[deployment]),
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: ADMIN_PATH, description: 'This service' }],
    security: [{ token: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: describePaths(OPERATIONS, describeOperation),
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
  Categories: 'What operators call the categories of animals.',
  Accounts: 'Who may call the public API, and how often.',
  'Keys and bans': 'The keys of accounts, links by which they are handed over, and the keys that are banned.',
  Records: 'Usage of the service, and the audit log.',
  'Operator tokens': 'The credentials of your colleagues.',
  Service: 'The program that runs: its version, health and settings.',
  Session: 'Signing a browser in and out.',
}

function introduction(cookie: string): string {
  return `
What operators can do without the command line. The admin API does not accept API keys and is not on the public port.

Send an operator token as \`Authorization: Bearer <TOKEN>\`; \`petstore token create\` creates the first one. The role \`staff\` can manage
animals and read everything; \`admin\` can do everything. A browser signs in with \`POST /session\`, by a token or by the link that \`petstore console\` prints, and then sends
its cookie, \`${cookie}\`; each of its changes must also have the \`X-CSRF-Token\` of the session.

Every error is \`{"code","message","status"}\`. If members of the body or parameters of the query are the reason, \`errors\` lists all
of them, each with its \`member\` and a \`message\`. Lists have pages: \`Link: <…>; rel="next"\` leads to the next one. Ids and
categories are 64-bit integers, written in full. Times are ISO 8601 in UTC. Every change is written to the audit log.
`.trim()
}

const string = { type: 'string' }

const HEADERS: Json = {
  'X-Request-Id': { description: 'The id of this call, as in the log.', required: true, schema: string },
  Link: { description: 'The next page; absent on the last one.', schema: string },
  ETag: { description: 'The version of what was read, for `If-Match`.', required: true, schema: string },
  Location: { description: 'The path of what was created.', required: true, schema: string },
  'Content-Disposition': { description: 'A name for the file.', required: true, schema: string },
  'Set-Cookie': { description: 'The session.', required: true, schema: string },
  'WWW-Authenticate': { description: 'The required scheme.', required: true, schema: string },
  'Retry-After': { description: 'Seconds to wait.', required: true, schema: { type: 'integer', minimum: 1 } },
}

const TAG_OF = new Map(
  Object.entries(OPERATIONS_BY_TAG).flatMap(([tag, operations]) => operations.map(({ id }) => [id, tag])),
)

function describeOperation(operation: AdminOperation): Json {
  const { id, summary, description, role, status } = operation
  const [taken, returned] = [takenBy(operation), returnedBy(operation)]
  const allowed = role === 'admin' ? 'Needs the role `admin`.' : undefined
  return {
    operationId: id,
    summary,
    description: [description, allowed].filter(part => part !== undefined).join(' ') || summary,
    tags: [TAG_OF.get(id)],
    ...(role === 'anyone' && { security: [] }),
    parameters: parametersOf(operation),
    ...(taken && { requestBody: { required: true, content: taken } }),
    responses: {
      [status]: {
        description: returned ? summary : 'Done.',
        headers: referToHeaders('X-Request-Id', ...headersOf(operation)),
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

/** Each form of a body that has several is closed already. */
function closed(schema: Json): Json {
  return schema.properties ? { ...schema, additionalProperties: false } : schema
}

function parametersOf(operation: AdminOperation): Json[] {
  const { path, query, method, needsIfMatch, takesIfMatch, role } = operation
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: 'Its id.',
    schema: { type: 'integer', format: 'int64' },
    ...describeExamples(operation.examples, ({ id }) => id),
  }))
  const inQuery = Object.entries(query?.properties ?? {}).map(([name, schema]) => {
    const { description, ...rest } = SCHEMAS.describe(schema)
    return {
      name,
      in: 'query',
      ...(description !== undefined && { description }),
      schema: exact(rest),
      ...describeExamples(operation.examples, ({ query }) => query?.[name]),
    }
  })
  const header = (name: string, description: string, required: boolean) => ({
    name,
    in: 'header',
    description,
    required,
    schema: string,
    ...describeExamples(operation.examples, ({ headers }) => headers?.[name]),
  })
  return [
    ...inPath,
    ...inQuery,
    ...(method === 'GET' || role === 'anyone' ? [] : [header('X-CSRF-Token', 'Required with a session.', false)]),
    ...(needsIfMatch ? [header('If-Match', 'The `ETag` of the animal that you read, or `*`.', true)] : []),
    ...(takesIfMatch ? [header('If-Match', 'The `ETag` of the version that you read: refuses any other.', false)] : []),
  ]
}

/** JSON has no bigint; the only one that is a default is 0. */
function exact(schema: Json): Json {
  return typeof schema.default === 'bigint' ? { ...schema, default: Number(schema.default) } : schema
}

function headersOf({ page, location, hasETag, setsCookie, isAttachment }: AdminOperation): string[] {
  return [
    ...(page ? ['Link'] : []),
    ...(hasETag ? ['ETag'] : []),
    ...(location ? ['Location'] : []),
    ...(setsCookie ? ['Set-Cookie'] : []),
    ...(isAttachment ? ['Content-Disposition'] : []),
  ]
}

function errorsOf(operation: AdminOperation): Json {
  const { role, method, path, query, body, upload, needsIfMatch, takesIfMatch, errors = [] } = operation
  const codes = new Set<ErrorCode>([
    ...ANYWHERE.filter(code => role !== 'anyone' || !/token/.test(code)),
    ...(role === 'admin' ? ['role_insufficient' as const] : []),
    ...(method === 'GET' ? [] : ['csrf_refused' as const]),
    ...(path.includes('{') ? ['not_found' as const] : []),
    ...(query ? WITH_QUERY : []),
    ...(body ? WITH_BODY : []),
    ...(upload ? WITH_UPLOAD : []),
    ...(needsIfMatch ? WITH_MATCH : []),
    ...(takesIfMatch ? ['precondition_failed' as const] : []),
    ...errors,
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
