import type { AnimalStore } from '../domain/store/animals.ts'
import { jsonAnswer } from '../http/answer.ts'
import { readJsonObject } from '../http/body.ts'
import { Refusal } from '../http/refusal.ts'
import type { Operation } from '../http/routes.ts'
import type { Target } from '../http/target.ts'
import type { PublicErrorCode } from '../schema/error-codes.ts'
import { buildQueryCheck } from '../schema/query.ts'
import type { Static, TObject, TSchema } from '../schema/type.ts'
import { buildCheck } from '../schema/validate.ts'
import { cacheAnswers, type Representation } from './answer-cache.ts'
import type { PublicCall } from './call.ts'
import { untilSunset } from './deprecation.ts'
import type { Example } from './openapi/examples.ts'
import type { PermittedWrite } from './permitted-write.ts'

/** What an operation needs to run. */
export interface Context {
  store: AnimalStore
  /** The public base address, with /v1, for links. */
  baseUrl: string
  permittedWrite: PermittedWrite
}

export interface Request<Query, Body> extends Context {
  call: PublicCall
  /** The value of the path's `{…}`. */
  parameter: string
  query: Query
  body: Body
  /** The body as it was sent. */
  bytes: Buffer
}

/** The response of a read, or of a write with its own headers. */
export type Reply = Representation & { headers?: readonly string[] }

/** An operation's behaviour and documentation. Its path and schemas are in routes.ts. */
export interface Handler<Query = unknown, Body = unknown> {
  id: string
  summary: string
  description: string
  /** Describes the response. */
  returns: string
  /** Only codes that do not follow from its path and schemas. */
  errors?: readonly PublicErrorCode[]
  /** By name. */
  examples: Readonly<Record<string, Example>>
  handle: (request: Request<Query, Body>) => Promise<Reply>
}

interface Schemas<Query extends TObject, Body extends TObject> {
  query?: Query
  body?: Body
  status: 200 | 201
  response: TSchema
  /** Whether the response is a page, with a `Link` to the next one. */
  isPage?: boolean
  /** Whether it takes an `Idempotency-Key`. */
  isIdempotent?: boolean
  isDeprecated?: boolean
}

/** A row of routes.ts: an operation's schemas, and a handler with the types that they describe. */
type Row<Query extends TObject, Body extends TObject> = Schemas<Query, Body> & Handler<Static<Query>, Static<Body>>

type Method = 'GET' | 'POST'

export interface PublicOperation extends Schemas<TObject, TObject>, Omit<Handler, 'handle'> {
  method: Method
  /** Below /v1. */
  path: string
  serve(context: Context): Operation<PublicCall>
}

type Nothing = TObject<Record<never, never>>

const NO_BODY = { members: {}, bytes: Buffer.alloc(0) }

/** Defines an operation that only callers with an API key may call. */
export function withKey<Query extends TObject = Nothing, Body extends TObject = Nothing>(
  method: Method,
  path: string,
  { handle, ...description }: Row<Query, Body>,
): PublicOperation {
  const { id, query, body, status, isDeprecated } = description
  const checkQuery = query && buildQueryCheck(query)
  const checkBody = body && buildCheck(body, 'invalid_body')

  function serve(context: Context): Operation<PublicCall> {
    async function reply(call: PublicCall, parameter: string): Promise<Reply> {
      const checkedQuery = checkQuery?.(call.target?.query ?? '')
      const { members, bytes } = checkBody ? await readJsonObject(call) : NO_BODY
      const request = { ...context, call, parameter, query: checkedQuery, body: checkBody?.(members), bytes }
      return handle(request as Request<Static<Query>, Static<Body>>)
    }

    const carryOut: Operation<PublicCall>['handle'] =
      method === 'GET'
        ? cacheAnswers(context.store, reply, keyOf)
        : async (call, parameter = '') => {
            if (call.caller?.scope === 'read') throw new Refusal('insufficient_scope')
            const { json, headers = [] } = await reply(call, parameter)
            return jsonAnswer(status, json, headers)
          }
    return { id, handle: isDeprecated ? untilSunset(carryOut) : carryOut }
  }

  /** Everything that the answer to a read depends on, apart from the store. */
  function keyOf({ target }: PublicCall): string {
    const { path, query: options } = target as Target
    return query && options !== '' ? `${path}?${options}` : path
  }

  return { ...description, method, path, serve }
}
