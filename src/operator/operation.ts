import type { AdminContext } from '../domain/administration/context.ts'
import type { Actor } from '../domain/audit.ts'
import { UserError } from '../domain/errors.ts'
import { parseInt64 } from '../domain/int64.ts'
import type { Role } from '../domain/operator.ts'
import { ActionRefused } from '../domain/permit.ts'
import { type Answer, jsonAnswer } from '../http/answer.ts'
import { readJsonObject } from '../http/body.ts'
import { type BodyStream, openBodyStream } from '../http/body-stream.ts'
import type { Call } from '../http/call.ts'
import { Refusal } from '../http/refusal.ts'
import { etagOf } from '../schema/etag.ts'
import { formatJson } from '../schema/exact-json.ts'
import { InvalidInput } from '../schema/invalid-input.ts'
import { MAX_UPLOAD_BYTES } from '../schema/limits.ts'
import { buildQueryCheck } from '../schema/query.ts'
import type { Static, TObject, TSchema } from '../schema/type.ts'
import { buildCheck } from '../schema/validate.ts'
import { noLongerPermitted } from './authenticate.ts'
import { readRepeatable } from './create-once.ts'
import { type Handler, type Request, Streamed, type WithBody, type WithQuery, type WithUpload } from './handler.ts'

export const ADMIN_PATH = '/admin/v1'

/** Who may call: operators with at least this role, or anyone (to sign in). */
type Access = Role | 'anyone'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

interface Schemas<Query extends TObject, Body extends TObject, Response extends TSchema> {
  query?: Query
  body?: Body
  /** Media types of a streamed request body. */
  upload?: readonly string[]
  /** 200, or 204 if the response has no body, unless it says otherwise. */
  status?: 201
  /** Undefined if the response has no body or is not JSON. */
  response?: Response
  /** Media types of a streamed response body. */
  download?: readonly string[]
}

/** What an operation is made of: its schemas, and a handler with the types that they describe. */
export type Description<Query extends TObject, Body extends TObject, Response extends TSchema> = Schemas<
  Query,
  Body,
  Response
> &
  Handler<WithQuery<Query> & WithBody<Body> & WithUpload, Static<Response> | Streamed>

export interface AdminOperation extends UnnamedOperation {
  id: string
}

export interface UnnamedOperation
  extends Omit<Schemas<TObject, TObject, TSchema>, 'status'>,
    Omit<Handler<never, unknown>, 'handle'> {
  status: 200 | 201 | 204
  /** The query parameters that begin the next page, if the response is a page: both if it has two orders. */
  edges: readonly PageEdge[]
  role: Access
  method: Method
  /** Below ADMIN_PATH. */
  path: string
  /** @throws Refusal */
  carryOut(call: Call, known: Known): Promise<Answer>
}

const PAGE_EDGES = ['after', 'before'] as const

type PageEdge = (typeof PAGE_EDGES)[number]

/** What is known about a call that has passed the gates. */
type Known = Omit<Request, 'call' | 'headers'>

export type NoMembers = TObject<Record<never, never>>

/** The operations of these tables, whose keys are their names. */
export function named(...tables: Readonly<Record<string, UnnamedOperation>>[]): AdminOperation[] {
  return tables.flatMap(table => Object.entries(table).map(([id, operation]) => ({ id, ...operation })))
}

export const feed = operationsFor('feed')
export const staff = operationsFor('staff')
export const admin = operationsFor('admin')
export const anyone = operationsFor('anyone')

function operationsFor(role: Access) {
  return <
    Query extends TObject = NoMembers,
    Body extends TObject = NoMembers,
    Response extends TSchema = TSchema<void>,
  >(
    method: Method,
    path: string,
    { handle, ...description }: Description<Query, Body, Response>,
  ): UnnamedOperation => {
    const { query, body, upload: uploadTypes, response, download, isRepeatable } = description
    const { status = response || download ? 200 : 204 } = description
    const edges = PAGE_EDGES.filter(edge => query && edge in query.properties)
    // Unknown members are refused: they may be misspelt.
    const checkQuery = query && buildQueryCheck(query, 'refused')
    const checkBody = body && buildCheck(body, 'invalid_body', 'refused')

    async function carryOut(call: Call, known: Known): Promise<Answer> {
      if (/\{\w+Id\}/.test(path) && parseInt64(known.id) === undefined) {
        throw new Refusal('not_found', `"${known.id.slice(0, 40)}" is not a valid id.`)
      }
      const headers: string[] = []
      const upload = uploadTypes && renewAtEnd(openBodyStream(call, uploadTypes, MAX_UPLOAD_BYTES), known)
      const { query, body, bytes } = await check(call)
      try {
        const current = bytes ? await renew(known) : known.context
        const repeatable = isRepeatable && bytes ? readRepeatable(call, current, bytes) : undefined
        const context = { ...current, request: repeatable }
        const request = { ...known, context, query, body, upload, call, headers }
        const value = await handle(request as WithQuery<Query> & WithBody<Body> & WithUpload)
        return answerOf({ ...description, status, edges }, request, value)
      } catch (error) {
        // A refusal, too, is answered only when every instance knows the change that it may come from.
        if (method !== 'GET' && error instanceof UserError) await known.context.store.settleChanges()
        throw refusalOf(error, known.context.actor)
      }
    }

    async function check(call: Call) {
      try {
        const query = checkQuery?.(ensureUtf8Query(call.target?.query ?? ''))
        if (!checkBody) return { query }
        const { members, bytes } = await readJsonObject(call)
        return { query, body: checkBody(members), bytes }
      } catch (error) {
        if (!(error instanceof InvalidInput)) throw error
        throw new Refusal(error.code, error.message, { errors: error.problems })
      }
    }
    return { ...description, status, edges, role, method, path, carryOut }
  }
}

const CODES = {
  invalid: 'invalid_input',
  not_found: 'not_found',
  conflict: 'conflict',
  changed: 'precondition_failed',
  unknown_encoding: 'unknown_encoding',
  full: 'store_full',
} as const

/**
 * The context of a call whose body has arrived, which may have taken long. Writes check the permit again, in their transaction.
 * @throws ActionRefused
 */
async function renew({ context, clock }: Known): Promise<AdminContext> {
  const renewed = { ...context, now: clock() }
  const { store, actor, now } = renewed
  const fault = actor.permit && (await store.findPermitFault(actor.permit, now))
  if (fault) throw new ActionRefused(fault)
  return renewed
}

/** The permit of an upload, which may take hours, is checked once all of it has arrived. */
function renewAtEnd(stream: BodyStream, known: Known): BodyStream {
  async function* chunks(): AsyncGenerator<Buffer, void> {
    yield* stream.chunks
    await renew(known)
  }
  return { ...stream, chunks: chunks() }
}

function refusalOf(error: unknown, { permit }: Actor): unknown {
  if (error instanceof ActionRefused) {
    const { reason } = error
    return reason === 'repeated' ? new Refusal('idempotency_in_progress') : noLongerPermitted(reason, permit)
  }
  if (!(error instanceof UserError)) return error
  const { kind, message, member } = error
  return new Refusal(CODES[kind], message, { errors: member === undefined ? [] : [{ member, message }] })
}

/** Builds the answer from a handler's return value, with the headers that follow from it. */
function answerOf(
  operation: Pick<UnnamedOperation, 'status' | 'response' | 'edges' | 'location' | 'hasETag'>,
  { call, query, headers }: { call: Call; query: unknown; headers: string[] },
  value: unknown,
): Answer {
  const { status, response, edges, location, hasETag } = operation
  if (value instanceof Streamed) return { status, headers: ['Content-Type', value.type, ...headers], body: value.body }
  if (!response) return { status, headers, body: '' }
  const { limit, sort } = (query ?? {}) as { limit?: number; sort?: string }
  const edge = sort === 'newest' ? edges.at(-1) : edges[0]
  const body = formatJson(edge ? (value as Item[]).slice(0, limit) : value)
  if (edge) headers.push(...linkToNext(call, edge, value as Item[], limit))
  if (location) headers.push('Location', `${ADMIN_PATH}${location}/${(value as Item).id}`)
  if (hasETag) headers.push('ETag', (value as { etag?: string }).etag ?? etagOf(body))
  return jsonAnswer(status, body, headers)
}

/** A URL parser replaces other bytes with U+FFFD, which a query may also contain. */
function ensureUtf8Query(query: string): string {
  const replacement = '%EF%BF%BD'
  if (new URLSearchParams(query).toString().includes(replacement) && !query.toUpperCase().includes(replacement)) {
    throw new InvalidInput('invalid_parameter', 'The query must be percent-encoded UTF-8.')
  }
  return query
}

interface Item {
  id: bigint
}

/** RFC 8288 */
function linkToNext({ target }: Call, edge: PageEdge, items: readonly Item[], limit = 0): string[] {
  const last = items[limit - 1]
  if (!last || items.length <= limit) return []
  const query = new URLSearchParams(target?.query)
  query.set(edge, String(last.id))
  return ['Link', `<${target?.path}?${query}>; rel="next"`]
}
