import { petJson } from '../support/pets.ts'

/** A point in the life of a connection at which a client starts to misbehave. */
export interface Phase {
  name: string
  /** The bytes that the client has sent until then. */
  bytes: string
  /** The statuses of its complete requests, in order. */
  answers: readonly number[]
  /** How its bytes end. `part`: within a request. `nothing`: before the next request. `close`: with one that ends the connection. */
  endsIn: 'nothing' | 'part' | 'close'
  /** An answer may close the connection before the rest is answered, if it says so. */
  mayEndEarly?: true
  /** The client reads its answers before it continues. */
  readsFirst?: true
  /** The bytes replace the PROXY header. */
  isProxyHeader?: true
}

/** The paths to read and write on a listener. */
export interface Target {
  secret: string
  /** A path that reads one animal. */
  read: string
  /** A path with an answer of about 30 KB or more. */
  page: string
  create: string
  /** A path that does not exist. */
  nowhere: string
}

/** Every phase of a request, for a caller with this key or token. */
export function phasesOf({ secret, read, page, create, nowhere }: Target): Phase[] {
  const request = (line: string, headers: readonly string[] = [], body = '') =>
    `${[line, 'Host: x', ...headers].join('\r\n')}\r\n\r\n${body}`
  const authorization = `Authorization: Bearer ${secret}`
  const upgrade = (protocol: string) => ['Connection: Upgrade, HTTP2-Settings', `Upgrade: ${protocol}`]
  const json = 'Content-Type: application/json'
  const get = request(`GET ${read} HTTP/1.1`, [authorization])
  const body = petJson()
  const post = (headers: readonly string[] = [`Content-Length: ${body.length}`], sent = body, path = create) =>
    request(`POST ${path} HTTP/1.1`, [authorization, json, ...headers], sent)
  const chunked = ['Transfer-Encoding: chunked']
  const chunk = `${body.length.toString(16)}\r\n${body}\r\n`
  const large = 'x'.repeat(100_000)
  const largeLength = `Content-Length: ${large.length}`
  const part = (name: string, bytes: string, answers: readonly number[] = []): Phase => ({
    name,
    bytes,
    answers,
    endsIn: 'part',
  })
  const whole = (name: string, bytes: string, ...answers: number[]): Phase => ({
    name,
    bytes,
    answers,
    endsIn: 'nothing',
  })
  const upgraded = (name: string, bytes: string, ...answers: number[]): Phase => ({
    ...whole(name, bytes, ...answers),
    mayEndEarly: true,
  })
  const last = (name: string, bytes: string, ...answers: number[]): Phase => ({ name, bytes, answers, endsIn: 'close' })

  return [
    whole('before the first byte', ''),
    part('in the request line', get.slice(0, 10)),
    part('in the headers', get.slice(0, -20)),
    part('between headers and body', post().slice(0, -body.length)),
    part('before a body that may be sent', post([`Content-Length: ${body.length}`, 'Expect: 100-continue'], '')),
    part('in a body', post().slice(0, -5)),
    part('in a chunk', post(chunked, chunk.slice(0, -5))),
    part('between chunks', post(chunked, chunk)),
    part('before the end of the trailers', post(chunked, `${chunk}0\r\nX-Trailer: x\r\n`)),
    whole('at a complete request', get, 200),
    whole('at a complete request with a body', post(), 201),
    whole('at a complete request with chunks', post(chunked, `${chunk}0\r\n\r\n`), 201),
    whole('at a request that is refused', request(`GET ${read} HTTP/1.1`), 401),
    whole('while many answers are written', getRequest(page, secret).repeat(20), ...Array(20).fill(200)),
    whole('while animals are stored', post().repeat(5), ...Array(5).fill(201)),
    { ...whole('between two requests', get, 200), readsFirst: true },
    { ...whole('after a refusal', request(`GET ${nowhere} HTTP/1.1`, [authorization]), 404), readsFirst: true },
    part('amid pipelined requests', get + post() + get + post().slice(0, -5), [200, 201, 200]),
    last('at CONNECT', request('CONNECT example.com:443 HTTP/1.1'), 501),
    last('at CONNECT to a path', request(`CONNECT ${read} HTTP/1.1`, [authorization]), 501),
    last('at CONNECT behind a request', get + request('CONNECT x:1 HTTP/1.1'), 200, 501),
    last('at CONNECT with bytes behind it', request('CONNECT x:1 HTTP/1.1', [], get), 501),
    upgraded(
      'at an upgrade to websocket',
      request(`GET ${read} HTTP/1.1`, [authorization, ...upgrade('websocket')]),
      200,
    ),
    upgraded(
      'at an upgrade to h2c',
      request(`GET ${read} HTTP/1.1`, [authorization, ...upgrade('h2c'), 'HTTP2-Settings: x']) + get,
      200,
      200,
    ),
    upgraded('at an upgrade with a body', post([`Content-Length: ${body.length}`, ...upgrade('h2c')]) + get, 201, 200),
    upgraded(
      'at an upgrade without a key',
      request(`POST ${create} HTTP/1.1`, [json, largeLength, ...upgrade('websocket')], large) + get,
      401,
      200,
    ),
    upgraded('at an upgrade on no path', post([largeLength, ...upgrade('websocket')], large, nowhere) + get, 404, 200),
    upgraded(
      'at an upgrade with another media type',
      request(`POST ${create} HTTP/1.1`, [authorization, largeLength, ...upgrade('h2c')], large) + get,
      415,
      200,
    ),
    upgraded('at an upgrade with too large a body', post([largeLength, ...upgrade('h2c')], large) + get, 413, 200),
    part('in the body of an upgrade', post([largeLength, ...upgrade('h2c')], large.slice(0, 70_000))),
    last('at HTTP/1.0', request(`GET ${read} HTTP/1.0`, [authorization]), 200),
    whole(
      'at HTTP/1.0 that is kept alive',
      request(`GET ${read} HTTP/1.0`, [authorization, 'Connection: keep-alive']),
      200,
    ),
    last(
      'at HTTP/1.0 in chunks',
      request(`POST ${create} HTTP/1.0`, [authorization, json, ...chunked], `${chunk}0\r\n\r\n`),
      400,
    ),
    last(
      'at HTTP/1.0 in chunks that is kept alive',
      request(
        `POST ${create} HTTP/1.0`,
        [authorization, json, 'Connection: keep-alive', ...chunked],
        `${chunk}0\r\n\r\n`,
      ) + get,
      400,
    ),
    last('at garbage behind a request', `${get}nonsense\r\n\r\n`, 200, 400),
    last('at garbage behind a creation', `${post()}nonsense\r\n\r\n`, 201, 400),
  ]
}

/** A complete GET request for a path. */
export function getRequest(path: string, secret: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\n\r\n`
}

/** The bytes before HTTP, if connections begin with a PROXY header. */
export const PROXY_PHASES: readonly Phase[] = [
  { name: 'before the PROXY header', bytes: '', answers: [], endsIn: 'nothing', isProxyHeader: true },
  { name: 'in the PROXY header', bytes: 'PROXY TCP4 127.0.0', answers: [], endsIn: 'nothing', isProxyHeader: true },
  {
    name: 'in a binary PROXY header',
    bytes: '\r\n\r\n\0\r\nQUIT\n\x21\x11\0',
    answers: [],
    endsIn: 'nothing',
    isProxyHeader: true,
  },
]
