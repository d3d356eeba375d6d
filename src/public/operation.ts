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

export interface Context {
  store: AnimalStore
  /** The public base address, with /v1, for links. */
  baseUrl: string
  permittedWrite: PermittedWrite
}

interface Request<Query, Body> extends Context {
  call: PublicCall
  /** The value of the path's `{…}`. */
  parameter: string
  query: Query
  body: Body
  /** The body as it was sent. */
  bytes: Buffer
}

interface Written {
  json: string
  headers: readonly string[]
}

/** What routes, checks and the OpenAPI document are made from. */
interface Description<Query extends TObject, Body extends TObject> {
  id: string
  summary: string
  description: string
  /** The schema of the path's `{…}`. */
  parameter?: TSchema
  query?: Query
  body?: Body
  status: 200 | 201
  response: TSchema
  /** Describes the response. */
  returns: string
  /** Whether the response is a page, with a `Link` to the next one. */
  isPage?: boolean
  /** Whether it takes an `Idempotency-Key`. */
  isIdempotent?: boolean
  isDeprecated?: boolean
  /** Only codes that do not follow from its path and schemas. */
  errors?: readonly PublicErrorCode[]
  /** By name. */
  examples: Readonly<Record<string, Example>>
}

interface Row<Result extends Representation | Written, Query extends TObject, Body extends TObject>
  extends Description<Query, Body> {
  handle(request: Request<Static<Query>, Static<Body>>): Promise<Result>
}

type Method = 'GET' | 'POST'

export interface PublicOperation extends Description<TObject, TObject> {
  method: Method
  /** Below /v1. */
  path: string
  serve(context: Context): Operation<PublicCall>
}

type Nothing = TObject<Record<never, never>>

type Handle = Operation<PublicCall>['handle']

const NO_BODY = { members: {}, bytes: Buffer.alloc(0) }

/** Defines an operation that callers with an API key may call, and whose answers are cached. */
export function readWithKey<Query extends TObject = Nothing>(
  path: string,
  row: Row<Representation, Query, Nothing>,
): PublicOperation {
  /** Everything that the answer depends on, apart from the store. */
  function keyOf({ target }: PublicCall): string {
    const { path, query: options } = target as Target
    return row.query && options !== '' ? `${path}?${options}` : path
  }
  return define('GET', path, row, ({ store }, represent) => cacheAnswers(store, represent, keyOf))
}

/** Defines an operation that only callers may call whose API key is not limited to reading. */
export function writeWithKey<Body extends TObject = Nothing>(
  path: string,
  row: Row<Written, Nothing, Body>,
): PublicOperation {
  return define('POST', path, row, (_, write) => async (call, parameter = '') => {
    if (call.caller?.scope === 'read') throw new Refusal('insufficient_scope')
    const { json, headers } = await write(call, parameter)
    return jsonAnswer(row.status, json, headers)
  })
}

function define<Result extends Representation | Written, Query extends TObject, Body extends TObject>(
  method: Method,
  path: string,
  { handle, ...description }: Row<Result, Query, Body>,
  build: (context: Context, reply: (call: PublicCall, parameter: string) => Promise<Result>) => Handle,
): PublicOperation {
  const { id, query, body, isDeprecated } = description
  const checkQuery = query && buildQueryCheck(query)
  const checkBody = body && buildCheck(body, 'invalid_body')

  function serve(context: Context): Operation<PublicCall> {
    async function reply(call: PublicCall, parameter: string): Promise<Result> {
      const checkedQuery = checkQuery?.(call.target?.query ?? '')
      const { members, bytes } = checkBody ? await readJsonObject(call) : NO_BODY
      const request = { ...context, call, parameter, query: checkedQuery, body: checkBody?.(members), bytes }
      return handle(request as Request<Static<Query>, Static<Body>>)
    }
    const carryOut = build(context, reply)
    return { id, handle: isDeprecated ? untilSunset(carryOut) : carryOut }
  }
  return { ...description, method, path, serve }
}
