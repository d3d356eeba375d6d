import assert from 'node:assert/strict'
import { buildOpenApi } from '../../site/operator-openapi.ts'
import { createToken, type IssuedToken } from '../../src/domain/administration/tokens.ts'
import type { Role } from '../../src/domain/operator.ts'
import { ERRORS, type ErrorCode } from '../../src/schema/error-codes.ts'
import { parseJson } from '../../src/schema/json.ts'
import type { Cleanup } from './cleanup.ts'
import { openDatabase } from './database.ts'
import { describe } from './openapi.ts'
import { only } from './rate.ts'
import { Answer, Connection, rawCall } from './raw.ts'
import { type ServiceOptions, startTestService, type TestService } from './service.ts'

/** A real service with two operators, and its admin API over a real socket. */
export interface OperatorService extends TestService {
  operatorPort: number
  admin: IssuedToken
  staff: IssuedToken
  createToken(role: Role, wish?: { name?: string; expiresAt?: number }): Promise<IssuedToken>
  /** Calls a path below /admin/v1, and checks the answer against the promises for every answer and against the document. */
  call(method: string, path: string, options?: CallOptions): Promise<AdminAnswer>
  /** Calls any path of the operators' listener. Only the promises for every answer are checked. */
  ask(method: string, target: string, options?: CallOptions): Promise<AdminAnswer>
  /** Sends exactly these bytes, and reads one answer. */
  send(bytes: string | Uint8Array): Promise<AdminAnswer>
  /** Sends a call below /admin/v1 without the last byte of its body, once it has passed the gates. `finish` sends that. */
  hold(method: string, path: string, options: CallOptions): Promise<HeldCall>
  /** Signs a browser in. */
  signIn(token: string, headers?: Record<string, string>): Promise<Browser>
  /** All data that operators can change, with its audit entries: if two of these are equal, nothing was changed. */
  snapshot(): Record<string, unknown[]>
  startAnother(options?: ServiceOptions): Promise<OperatorService>
}

export interface CallOptions {
  /** Without any credential, the admin makes the call; null sends none. */
  token?: string | null
  /** The value of the header Cookie. */
  cookie?: string | undefined
  csrf?: string | undefined
  headers?: Record<string, string> | readonly (readonly [name: string, value: string])[]
  /** A string is sent unchanged; anything else as JSON, bigints digit for digit. */
  body?: unknown
  /** The body's Content-Type; null sends none. */
  type?: string | null
}

export interface HeldCall {
  finish(): Promise<AdminAnswer>
}

export interface Browser {
  /** The Cookie header that it sends. */
  cookie: string
  secret: string
  csrf: string
  answer: AdminAnswer
}

/** An answer with its integers as bigints, so that none is rounded. */
export class AdminAnswer extends Answer {
  // biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects
  get value(): any {
    return structuredClone(parseJson(this.body))
  }

  get code(): string {
    return this.value.code
  }
}

const ADMIN = '/admin/v1'
const PRIVATE = [
  ['cache-control', 'no-store'],
  ['x-content-type-options', 'nosniff'],
  ['cross-origin-resource-policy', 'same-origin'],
] as const

const document = describe(buildOpenApi())

/** Starts a service that ends with the test, with a token for an admin and one for a staff member. */
export async function startOperatorService(t: Cleanup, options: ServiceOptions = {}): Promise<OperatorService> {
  const service = await startTestService(t, options)
  const issue = (role: Role, { name = `${role} at work`, expiresAt }: { name?: string; expiresAt?: number } = {}) =>
    createToken(service.adminContext(), { name, role, expiresAt })
  const admin = await issue('admin', { name: 'Anna' })
  const staff = await issue('staff', { name: 'Sam' })
  const operators = operate(service, admin.token)
  return {
    ...service,
    ...operators,
    admin,
    staff,
    createToken: issue,
    async startAnother(another = {}) {
      const started = await service.startAnother(another)
      return { ...started, ...operate(started, admin.token), admin, staff, createToken: issue } as OperatorService
    },
  }
}

type Operating = Pick<OperatorService, 'operatorPort' | 'call' | 'ask' | 'send' | 'hold' | 'signIn' | 'snapshot'>

function operate(service: TestService, admin: string): Operating {
  const { host, port } = new URL(service.operatorUrl)

  async function ask(method: string, target: string, options: CallOptions = {}): Promise<AdminAnswer> {
    const answer = await send(format(host, admin, method, target, options))
    const path = target.split('?')[0] ?? ''
    const isAdmin = path === ADMIN || path.startsWith(`${ADMIN}/`)
    for (const [name, value] of isAdmin ? PRIVATE : []) assert.equal(answer.header(name), value, `${name} of ${target}`)
    return answer
  }

  async function call(method: string, path: string, options: CallOptions = {}): Promise<AdminAnswer> {
    const answer = await ask(method, ADMIN + path, options)
    document.check(method, `/v1${path}`, withoutPrivate(answer))
    return answer
  }

  async function send(bytes: string | Uint8Array): Promise<AdminAnswer> {
    const [answer] = await rawCall(Number(port), bytes, { check: assertOrderly })
    assert.ok(answer)
    return new AdminAnswer(answer.status, answer.headers, answer.body)
  }

  async function hold(method: string, path: string, options: CallOptions): Promise<HeldCall> {
    const headers = [...headerList(options.headers), ['Expect', '100-continue'] as const]
    const bytes = format(host, admin, method, ADMIN + path, { ...options, headers })
    const connection = await Connection.open(Number(port))
    service.connections.add(connection)
    connection.write(bytes.subarray(0, -1))
    assert.equal((await connection.answer()).status, 100)
    return {
      async finish() {
        connection.write(bytes.subarray(-1))
        const answer = await connection.answer(method)
        assertOrderly(answer, method)
        const { status, headers, body } = answer
        connection.destroy()
        document.check(method, `/v1${path}`, withoutPrivate(new AdminAnswer(status, headers, body)))
        return new AdminAnswer(status, headers, body)
      },
    }
  }

  async function signIn(token: string, headers: Record<string, string> = {}): Promise<Browser> {
    const answer = await call('POST', '/session', { token: null, body: { token }, headers })
    assert.equal(answer.status, 201, answer.text)
    const cookie = only(answer, 'Set-Cookie').split(';')[0] ?? ''
    return { answer, cookie, secret: cookie.slice(cookie.indexOf('=') + 1), csrf: answer.value.csrfToken }
  }

  return {
    operatorPort: Number(port),
    ask,
    call,
    send,
    hold,
    signIn,
    snapshot: () => readEverything(service.config.dataFolder),
  }
}

/** A connection to the operators' listener, on which every answer is checked. It is closed with the service at the latest. */
export async function connectToOperators(service: OperatorService): Promise<Connection> {
  const connection = await Connection.open(service.operatorPort, assertOrderly)
  service.connections.add(connection)
  return connection
}

/** Asserts that a call was refused with this code. */
export function assertRefused(answer: Answer, code: ErrorCode, message?: string | RegExp): void {
  assert.equal(`${answer.status} ${answer.json.code}`, `${ERRORS[code]} ${code}`, answer.text)
  if (message instanceof RegExp) assert.match(answer.json.message, message)
  else if (message !== undefined) assert.equal(answer.json.message, message)
}

/** Follows `rel="next"` to the end, and collects the contents of the pages. */
export async function walk(service: OperatorService, path: string): Promise<{ pages: number; items: AdminItem[] }> {
  const items: AdminItem[] = []
  let pages = 0
  for (let next: string | undefined = path; next !== undefined; pages += 1) {
    const page: AdminAnswer = await service.call('GET', next)
    assert.equal(page.status, 200, page.text)
    items.push(...page.value)
    next = linkOf(page)
  }
  return { pages, items }
}

// biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects
export type AdminItem = any

/** The target of the link to the next page, below /admin/v1. */
export function linkOf(page: Answer): string | undefined {
  const link = page.header('link')
  const target = link && /^<(\/admin\/v1[^>]*)>; rel="next"$/.exec(link)?.[1]
  assert.ok(!link || target, `a link: ${link}`)
  return target?.slice(ADMIN.length)
}

function format(host: string, admin: string, method: string, target: string, options: CallOptions): Buffer {
  const { cookie, csrf, headers = {}, body } = options
  const { token = cookie === undefined ? admin : null, type = body === undefined ? null : 'application/json' } = options
  const lines: (readonly [string, string])[] = [['Host', host]]
  if (token !== null) lines.push(['Authorization', `Bearer ${token}`])
  if (cookie !== undefined) lines.push(['Cookie', cookie])
  if (csrf !== undefined) lines.push(['X-CSRF-Token', csrf])
  if (type !== null) lines.push(['Content-Type', type])
  lines.push(...headerList(headers))
  const bytes = body === undefined ? undefined : bytesOf(body)
  if (bytes) lines.push(['Content-Length', String(bytes.length)])
  const head = [`${method} ${target} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`), '', '']
  return Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), bytes ?? Buffer.alloc(0)])
}

function bytesOf(body: unknown): Buffer {
  if (body instanceof Uint8Array) return Buffer.from(body)
  if (typeof body === 'string') return Buffer.from(body)
  const exact = (_: string, member: unknown) =>
    typeof member === 'bigint' ? (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(`${member}`) : member
  return Buffer.from(JSON.stringify(body, exact))
}

function headerList(headers: CallOptions['headers'] = {}): readonly (readonly [string, string])[] {
  return isList(headers) ? headers : Object.entries(headers)
}

function isList(headers: CallOptions['headers']): headers is readonly (readonly [string, string])[] {
  return Array.isArray(headers)
}

/** Checks the promises for every answer of this listener, which has no rate limits. */
function assertOrderly(answer: Answer, method: string): void {
  assert.match(only(answer, 'X-Request-Id'), /^[A-Za-z0-9._~:/+=@-]{1,128}$/)
  const date = only(answer, 'Date')
  assert.equal(new Date(date).toUTCString(), date)
  for (const [name] of answer.headers) assert.doesNotMatch(name, /^(x-)?ratelimit|^access-control/i)
  if (answer.status === 204 || answer.status === 304) assert.equal(answer.header('transfer-encoding'), undefined)
  if (answer.status >= 400) assertRefusal(answer, method)
}

function assertRefusal(answer: Answer, method: string): void {
  assert.equal(only(answer, 'Content-Type'), 'application/json')
  if (answer.status === 401) assert.match(only(answer, 'WWW-Authenticate'), /^Bearer( error="invalid_token")?$/)
  if (answer.status === 405) only(answer, 'Allow')
  if (answer.status === 503) assert.match(only(answer, 'Retry-After'), /^[1-9][0-9]*$/)
  if (method === 'HEAD') return
  const { code, message, status, errors, ...others } = answer.json
  assert.deepEqual(others, {})
  assert.equal(status, answer.status, 'the body repeats the status')
  assert.equal(ERRORS[code as ErrorCode], answer.status, `the status of ${code}`)
  assert.ok(typeof message === 'string' && message.length > 0, 'a message')
  assert.doesNotMatch(message, /SELECT|INSERT|UPDATE |node:|\bat .*:\d+:\d+|\/src\//, 'no inside in the message')
}

/** The headers that every answer of the admin API has are not documented for each. */
function withoutPrivate({ status, headers, body }: AdminAnswer): AdminAnswer {
  const names: readonly string[] = PRIVATE.map(([name]) => name)
  return new AdminAnswer(
    status,
    headers.filter(([name]) => !names.includes(name.toLowerCase())),
    body,
  )
}

function readEverything(folder: string): Record<string, unknown[]> {
  const database = openDatabase(folder)
  try {
    const tables = [
      'pet',
      'pet_change',
      'category',
      'account',
      'api_key',
      'ban',
      'operator_token',
      'session',
      'claim_link',
      'sign_in_link',
      'audit',
    ]
    const read = (table: string) => {
      const statement = database.prepare(`SELECT * FROM ${table}`)
      statement.setReadBigInts(true)
      statement.setReturnArrays(true)
      return statement.all()
    }
    return Object.fromEntries(tables.map(table => [table, read(table)]))
  } finally {
    database.close()
  }
}
