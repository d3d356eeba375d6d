import type { Static, TObject, TProperties, TSchema } from 'typebox'
import type { Acting } from '../domain/administration/acting.ts'
import { type ErrorCode, Mistake, Refusal } from '../domain/errors.ts'
import { parseInt64 } from '../domain/int64.ts'
import type { Operator, Role } from '../domain/operator.ts'
import { checkMediaType, readBody } from '../http/body.ts'
import type { Answer, Call } from '../http/call.ts'
import { formatJson } from '../http/exact-json.ts'
import { parseJson } from '../http/json.ts'
import { jsonAnswer } from '../http/json-answer.ts'
import { buildQueryCheck } from '../http/query.ts'
import { buildCheck } from '../http/validate.ts'
import type { Authentication, Credentials } from './authenticate.ts'

/** What an operation of the admin API is given. */
export interface Request<Query, Body> {
  call: Call
  /** In whose name, when and on what. */
  acting: Acting
  /** Whose call it is; undefined where anyone may. */
  credentials: Credentials | undefined
  /** For those that sign in. */
  authentication: Authentication
  /** What stands in the place of the path's `{…}`. */
  parameter: string
  query: Query
  body: Body
}

/** What it gives: a value to be sent as JSON, or none. */
export interface Reply {
  value?: unknown
  headers?: readonly string[]
}

/** An operation of the admin API, as it is described and as it is carried out: the document is made from this. */
export interface Description<Query extends TProperties, Body extends TProperties> {
  id: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below /admin/v1. */
  path: string
  tag: string
  summary: string
  description?: string
  /** Who may: at least this role, or anyone who signs in. */
  role: Role | 'anyone'
  query?: TObject<Query>
  body?: TObject<Body>
  /** The answer to a call that is carried out; 204 where it has no schema. */
  status: 200 | 201 | 204
  answer?: TSchema
  /** Whether the answer is a page, with a `Link` to the next one. */
  isPage?: boolean
  /** Whether it bears an `ETag`, or wants one as `If-Match`. */
  etag?: 'given' | 'wanted'
  refusals?: readonly ErrorCode[]
  handle(request: Request<Static<TObject<Query>>, Static<TObject<Body>>>): Promise<Reply>
}

/** An operation, ready to be called. */
export interface AdminOperation extends Omit<Description<TProperties, TProperties>, 'handle'> {
  /** @throws Refusal */
  carryOut(
    call: Call,
    about: Pick<Request<unknown, unknown>, 'acting' | 'credentials' | 'authentication' | 'parameter'>,
  ): Promise<Answer>
}

export function defineOperation<Query extends TProperties = TProperties, Body extends TProperties = TProperties>({
  handle,
  ...description
}: Description<Query, Body>): AdminOperation {
  const { path, query, body, status } = description
  // A slip of the keyboard must not pass for a wish that was carried out.
  const checkQuery = query && buildQueryCheck(query, 'refused')
  const checkBody = body && buildCheck(body, 'invalid_body', 'refused')
  return {
    ...(description as unknown as Omit<Description<TProperties, TProperties>, 'handle'>),
    async carryOut(call, about) {
      const { parameter } = about
      if (path.includes('{') && parseInt64(parameter) === undefined) {
        throw new Refusal('not_found', `Nothing here has the id "${parameter.slice(0, 40)}": it is no int64.`)
      }
      const request = {
        call,
        ...about,
        query: (checkQuery?.(call.target?.query ?? '') ?? {}) as Static<TObject<Query>>,
        body: (checkBody ? checkBody(await readMembers(call)) : {}) as Static<TObject<Body>>,
      }
      const { value, headers = [] } = await handle(request).catch(refuseMistake)
      return value === undefined ? { status, headers, body: '' } : jsonAnswer(status, formatJson(value), headers)
    },
  }
}

/** How an operator is called in the audit log. */
export function actorName({ name, tokenId }: Operator): string {
  return `${name} (token ${tokenId})`
}

/** @throws Refusal unsupported_media_type, body_too_large, invalid_json, invalid_body */
async function readMembers(call: Call): Promise<Record<string, unknown>> {
  checkMediaType(call.request)
  const json = parseJson(await readBody(call))
  if (json === null || typeof json !== 'object' || Array.isArray(json)) {
    throw new Refusal('invalid_body', 'The body must be a JSON object.')
  }
  return json
}

const CODES = { invalid: 'invalid_input', not_found: 'not_found', conflict: 'conflict' } as const

function refuseMistake(error: unknown): never {
  throw error instanceof Mistake ? new Refusal(CODES[error.kind], error.message) : error
}
