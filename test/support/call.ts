import assert from 'node:assert/strict'
import type { ErrorCode } from '../../src/schema/error-codes.ts'
import { ERRORS } from '../../src/schema/error-codes.ts'
import { assertLawful } from './contract-checks.ts'
import { loadDescription } from './openapi.ts'
import { type Answer, Connection, firstWord, rawCall } from './raw.ts'
import type { TestService } from './service.ts'

export interface Call {
  method?: string
  /** The request target, from the origin: `/v1/pets?limit=5`. */
  path: string
  key?: string | undefined
  headers?: Record<string, string> | readonly (readonly [name: string, value: string])[]
  body?: string | Uint8Array | undefined
  /** The body's Content-Type; null sends none. */
  type?: string | null
}

/** Makes one call on its own connection, and checks the answer against the contract and the OpenAPI document. */
export async function call(service: TestService, request: Call): Promise<Answer> {
  const answer = await send(service, formatRequest(service, request))
  const description = await loadDescription()
  description?.check(request.method ?? 'GET', request.path, answer)
  return answer
}

/** Sends exactly these bytes and reads one answer, which must follow the contract. */
export async function send(service: TestService, bytes: string | Uint8Array): Promise<Answer> {
  const [answer] = await rawCall(service.port, bytes, { methods: [firstWord(bytes)], check: checkWith(service) })
  assert.ok(answer)
  return answer
}

/** A connection on which every answer must follow the contract. It is closed with the service at the latest. */
export async function connect(service: TestService): Promise<Connection> {
  const connection = await Connection.open(service.port, checkWith(service))
  service.connections.add(connection)
  return connection
}

/** Writes these bytes and reads every answer until the service closes the connection, which it must do. */
export async function sendUntilEnd(
  service: TestService,
  bytes: string | Uint8Array,
  methods: readonly string[] = [firstWord(bytes)],
): Promise<Answer[]> {
  const connection = await connect(service)
  connection.write(bytes)
  return connection.answersUntilEnd(methods)
}

/** Checks the answer to raw bytes against the OpenAPI document, if their request line names an operation. */
export async function assertDescribed(bytes: string | Uint8Array, answer: Answer): Promise<void> {
  const line = /^([A-Z]+) (\S+) HTTP\/1\.[01]\r\n/.exec(Buffer.from(bytes as string).toString('latin1'))
  const description = await loadDescription()
  if (line) description?.check(line[1] ?? '', line[2] ?? '', answer)
}

export function formatRequest(service: Pick<TestService, 'url'>, request: Call): Buffer {
  const {
    method = 'GET',
    path,
    key,
    headers = {},
    body,
    type = body === undefined ? null : 'application/json',
  } = request
  const lines: (readonly [string, string])[] = [['Host', new URL(service.url).host]]
  if (key !== undefined) lines.push(['Authorization', `Bearer ${key}`])
  if (type !== null) lines.push(['Content-Type', type])
  lines.push(...(isList(headers) ? headers : Object.entries(headers)))
  const bytes = body === undefined ? undefined : Buffer.from(body as string)
  if (bytes) lines.push(['Content-Length', String(bytes.length)])
  const head = [`${method} ${path} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n')
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes ?? Buffer.alloc(0)])
}

/** Asserts that a call was refused with this code. */
export function assertRefused(answer: Answer, code: ErrorCode): void {
  assert.equal(`${answer.status} ${answer.json.code}`, `${ERRORS[code]} ${code}`, answer.text)
}

/** Asserts that a call was refused with one of these codes, where the contract allows several. */
export function assertRefusedAs(answer: Answer, codes: readonly ErrorCode[]): void {
  assert.ok(codes.includes(answer.json.code), `one of ${codes.join(', ')}: ${answer.status} ${answer.text}`)
}

function checkWith(service: TestService): (answer: Answer, method: string) => void {
  return (answer, method) => assertLawful(answer, { now: service.clock.now, method })
}

function isList(
  headers: Record<string, string> | readonly (readonly [string, string])[],
): headers is readonly (readonly [string, string])[] {
  return Array.isArray(headers)
}
