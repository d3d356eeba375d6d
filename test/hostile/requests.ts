/** Requests for the fuzz run: some valid, some with members, headers or bytes that no client should send. */

export interface FuzzRequest {
  bytes: Buffer
  method: string
  /** Its framing is valid: it has one answer, whatever else is wrong with it. For other bytes, the number of requests is undefined. */
  isWhole: boolean
}

export interface Secrets {
  keys: readonly string[]
  tokens: readonly string[]
}

export type Dice = ReturnType<typeof buildDice>

export function buildDice(random: () => number) {
  const below = (count: number) => Math.floor(random() * count)
  return {
    below,
    chance: (probability: number) => random() < probability,
    pick: <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item,
  }
}

const ODD_TEXTS = [
  '',
  ' ',
  '0',
  '-1',
  '1e3',
  '9223372036854775807',
  '9223372036854775808',
  'null',
  'NaN',
  '%00',
  '%zz',
  '%',
  '%70ets',
  '..',
  '{x}',
  'a|b',
  '^',
  '\\',
  "'; DROP TABLE pet; --",
  '=1+1',
  '__proto__',
  'constructor',
  '*',
  'W/"x"',
  '"x"',
  ',',
  ';',
  '\xe9\xff',
  'x'.repeat(300),
  'x'.repeat(5_000),
]
const ODD_VALUES = [
  'null',
  'true',
  '""',
  '" "',
  '"Rex"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u0000"',
  '"\\u0007"',
  '"\\ud83d\\ude00"',
  '"\u{1f600}\u202e\u200d"',
  '1',
  '1.0',
  '1e3',
  '1e400',
  '-0',
  '1.5',
  '01',
  '.5',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775808',
  '1e-7',
  '123456789012345678901234567890',
  '{}',
  '[]',
  '"available"',
  '"sold"',
  '"SOLD"',
  '{"name":1}',
  `"${'x'.repeat(255)}"`,
  `"${'x'.repeat(256)}"`,
  '[['.repeat(16) + ']]'.repeat(16),
  '['.repeat(6_000),
  'undefined',
  'NaN',
]
const MEMBERS = ['name', 'categoryId', 'status', 'id', '__proto__', 'Name', 'name\\u0000', 'x', 'n\\u0061me']
const PUBLIC_PATHS = ['/v1/pets', '/v1/pets/1', '/v1/pets/', '/v1', '/v1/nothing', '/', '/docs', '/openapi.json', '*']
const OPERATOR_PATHS = [
  '/admin/v1/pets/1',
  '/admin/v1/pets/x',
  '/admin/v1/accounts/1',
  '/admin/v1/keys/1',
  '/admin/v1/session',
  '/admin/v1/nothing',
  '/livez',
  '/docs',
  '/openapi.json',
  '*',
]
const PARAMETERS = ['limit', 'status', 'cursor', 'after', 'x', 'limit', '__proto__', '']
const METHODS = ['GET', 'GET', 'GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'PATCH', 'TRACE', 'PROPFIND']
const ODD_BYTES = ['\r', '\n', '\r\n', '\r\n\r\n', '\0', ' ', ':', '\t', '\x7f', '\xff', '0', ',', ';', '%', '"']

/** A request with valid framing. */
export function wholeRequest(dice: Dice, listener: 'public' | 'operators', secrets: Secrets): FuzzRequest {
  const isPublic = listener === 'public'
  const creates = dice.chance(0.3)
  const method = creates ? 'POST' : dice.pick(METHODS)
  const path = creates
    ? isPublic
      ? '/v1/pets'
      : '/admin/v1/pets'
    : dice.pick(isPublic ? PUBLIC_PATHS : OPERATOR_PATHS)
  const headers = [['Host', dice.pick(['x', 'localhost:8080', '[::1]'])]]
  if (dice.chance(0.9)) headers.push(['Authorization', authorization(dice, isPublic ? secrets.keys : secrets.tokens)])
  while (dice.chance(0.4)) headers.push(oddHeader(dice))
  const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH' || dice.chance(0.02)
  if (hasBody && dice.chance(0.95)) headers.push(['Content-Type', dice.pick(CONTENT_TYPES)])
  const body = hasBody ? Buffer.from(json(dice)) : undefined
  const framed = body && frame(dice, body, headers)
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  const head = Buffer.from([`${method} ${target(dice, path)} HTTP/1.1`, ...lines, '', ''].join('\r\n'), 'latin1')
  return { bytes: framed ? Buffer.concat([head, framed]) : head, method, isWhole: true }
}

const CONTENT_TYPES = [
  ...Array(6).fill('application/json'),
  'application/json; charset=utf-8',
  'application/json; charset=latin1',
  'text/plain',
  'APPLICATION/JSON',
  '',
]

/** Frames the body, and adds the headers for it. */
function frame(dice: Dice, body: Buffer, headers: string[][]): Buffer {
  if (dice.chance(0.7)) {
    headers.push(['Content-Length', String(body.length)])
    return body
  }
  headers.push(['Transfer-Encoding', dice.pick(['chunked', 'Chunked'])])
  const chunks: Buffer[] = []
  for (let from = 0; from < body.length; ) {
    const size = Math.min(1 + dice.below(500), body.length - from)
    const extension = dice.chance(0.1) ? ';x="y"' : ''
    chunks.push(Buffer.from(`${size.toString(16)}${extension}\r\n`), body.subarray(from, from + size), CRLF)
    from += size
  }
  chunks.push(Buffer.from(dice.chance(0.1) ? '0\r\nX-Trailer: x\r\n\r\n' : '0\r\n\r\n'))
  return Buffer.concat(chunks)
}

const CRLF = Buffer.from('\r\n')

function target(dice: Dice, path: string): string {
  if (path === '*') return path
  let text = path
  if (dice.chance(0.1)) text += `/${encode(dice.pick(ODD_TEXTS))}`
  if (dice.chance(0.05)) text = `/${encode(dice.pick(ODD_TEXTS))}${text}`
  for (let mark = '?'; dice.chance(0.4); mark = '&') {
    text += `${mark}${dice.pick(PARAMETERS)}=${encode(dice.pick(ODD_TEXTS))}`
  }
  return text
}

/** Removes characters that would break the request line. */
function encode(text: string): string {
  return text.replaceAll(/[ \x80-\xff]/g, found => `%${found.charCodeAt(0).toString(16)}`)
}

function authorization(dice: Dice, secrets: readonly string[]): string {
  const secret = dice.pick(secrets)
  if (dice.chance(0.75)) return `Bearer ${secret}`
  return dice.pick([
    `bearer ${secret}`,
    `Bearer  ${secret} `,
    `Bearer ${secret.slice(0, -1)}`,
    `Bearer ${secret.toUpperCase()}`,
    `Bearer ${secret.slice(0, -1)}${secret.endsWith('x') ? 'y' : 'x'}`,
    `Bearer ${secret}, Bearer ${secret}`,
    `Basic ${secret}`,
    'Bearer',
    '',
    `Bearer ${dice.pick(ODD_TEXTS)}`,
  ])
}

function oddHeader(dice: Dice): string[] {
  const name = dice.pick([
    'Idempotency-Key',
    'Idempotency-Key',
    'If-None-Match',
    'If-Match',
    'X-Request-Id',
    'Authorization',
    'Accept',
    'Accept-Encoding',
    'Content-Encoding',
    'Origin',
    'Cookie',
    'X-CSRF-Token',
    'X-Forwarded-For',
    'X-Forwarded-Proto',
    'Forwarded',
    'Range',
    'Expect',
    'Connection',
    'Upgrade',
    'TE',
    'X-Odd',
  ])
  if (name === 'Expect') return [name, dice.pick(['100-continue', '100-Continue', 'x'])]
  if (name === 'Upgrade') return [name, dice.pick(['websocket', 'h2c', 'TLS/1.0', ''])]
  if (name === 'Connection')
    return [name, dice.pick(['Upgrade', 'keep-alive', 'close', 'Upgrade, HTTP2-Settings', 'x'])]
  if (name === 'Idempotency-Key' && dice.chance(0.7)) return [name, `key-${dice.below(500)}`]
  return [name, dice.pick(ODD_TEXTS)]
}

function json(dice: Dice): string {
  if (dice.chance(0.4)) return `{"name":"Rex ${dice.below(1_000)}","categoryId":${dice.below(100)}}`
  if (dice.chance(0.05)) return `{"name":"Rex","padding":"${'x'.repeat(dice.pick([60_000, 65_500, 70_000, 200_000]))}"}`
  if (dice.chance(0.1)) return dice.pick(ODD_VALUES)
  const members: string[] = []
  while (dice.chance(0.8)) members.push(`"${dice.pick(MEMBERS)}":${dice.pick(ODD_VALUES)}`)
  const text = `{${members.join(',')}}`
  return dice.chance(0.1) ? text.slice(0, dice.below(text.length)) : text
}

/** Bytes that are or were a request. The service decides how many requests they are now, but at least one. */
export function brokenRequest(dice: Dice, listener: 'public' | 'operators', secrets: Secrets): FuzzRequest {
  let request = wholeRequest(dice, listener, secrets)
  while (request.method === 'HEAD') request = wholeRequest(dice, listener, secrets)
  return { bytes: breakBytes(dice, request.bytes, dice.pick(secrets.keys)), method: 'GET', isWhole: false }
}

function breakBytes(dice: Dice, bytes: Buffer, key: string): Buffer {
  const text = bytes.toString('latin1')
  const at = dice.below(bytes.length)
  const length = 1 + dice.below(dice.chance(0.5) ? 4 : 200)
  const odd = dice.pick(ODD_BYTES)
  const withHeaders = (...lines: string[]) => text.replace('\r\n', `\r\n${lines.map(line => `${line}\r\n`).join('')}`)
  const ways: (() => string)[] = [
    () => text.slice(0, at) + String.fromCharCode(dice.below(256)) + text.slice(at + 1),
    () => text.slice(0, at) + odd + text.slice(at),
    () => text.slice(0, at) + text.slice(at + length),
    () => text.slice(0, at + length) + text.slice(at),
    () => text.slice(0, Math.max(1, at)),
    () => text + odd.repeat(1 + dice.below(20)),
    () => `${odd.repeat(1 + dice.below(3))}x${text}`,
    () =>
      text.replace('HTTP/1.1', dice.pick(['HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.1 x', 'http/1.1', 'HTTP/1.10'])),
    () => text.replace(/^\w+/, dice.pick(['get', 'FETCH', 'PRI', 'SOURCE', 'M-SEARCH', 'QUERY', ''])),
    () =>
      text.replace(/ \S+/, dice.pick([' http://x/v1/pets', ' //x', ' x', ' /v1/pets#x', ` /${'x'.repeat(9_000)}`, ''])),
    () => text.replace('Host: ', dice.pick(['Host:', 'Hots: ', 'Host: x\r\nHost: ', 'Host : '])),
    () => withHeaders('Content-Length: 5', 'Content-Length: 6'),
    () => withHeaders('Content-Length: 5', 'Transfer-Encoding: chunked'),
    () => withHeaders(`Content-Length: ${dice.pick(['-1', 'x', '1e3', '99999999999999999999', '0x10', '+5'])}`),
    () => withHeaders(`Transfer-Encoding: ${dice.pick(['gzip', 'chunked, gzip', 'chunked, chunked', 'xchunked', ''])}`),
    () => withHeaders(`X-Large: ${'x'.repeat(10_000 + dice.below(30_000))}`),
    () => withHeaders(...Array(dice.pick([90, 120, 2_100])).fill('X: y')),
    () => withHeaders('X-Folded: x\r\n y'),
    () =>
      `CONNECT ${dice.pick(['x:443', '/v1/pets', '*', 'x'])} HTTP/1.1\r\nHost: x\r\n\r\n${dice.chance(0.5) ? text : ''}`,
    () => `CONNECT x:1 HTTP/1.${dice.below(3)}\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc`,
    () =>
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n` +
      dice.pick([
        'x\r\n',
        '-1\r\n',
        '5\r\nab\r\n0\r\n\r\n',
        'fffffffffffffffff\r\n',
        '1;',
        `1;${'x'.repeat(20_000)}\r\n`,
        '0\r\nx',
        '0\r\nContent-Length: 3\r\n\r\n',
        '1\r\n{\r\n',
      ]),
  ]
  const broken = Buffer.from(dice.pick(ways)(), 'latin1')
  return broken.toString('latin1').trim() === '' ? Buffer.from('x') : broken
}
