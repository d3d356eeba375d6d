import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cleanup } from './cleanup.ts'
import { CUT_AFTER, CUT_BEFORE, CUT_IN_BODY, type Fault, type OwnAnswer } from './faults.ts'

/** A request as the proxy saw it. Times are by the clock given to the proxy. */
export interface ProxiedRequest {
  /** When its head had arrived. */
  at: number
  method: string
  /** The request target: `/v1/pets?limit=5`. */
  path: string
  key: string | undefined
  idempotencyKey: string | undefined
  userAgent: string | undefined
  fault: Fault | undefined
  /** The status sent to the client; undefined while there is none, or if the connection was cut. */
  status: number | undefined
  /** How long the answer asked the client to wait, and when it was sent. */
  retryAfterSeconds: number | undefined
  answeredAt: number | undefined
}

export interface FaultyProxy {
  url: string
  /** Every request so far, in order of arrival. */
  requests: readonly ProxiedRequest[]
  /** The fault of a request; undefined for none. */
  choose: (request: ProxiedRequest) => Fault | undefined
  /** Resolves when no request is in flight, including abandoned ones. */
  settled(): Promise<void>
}

export interface ProxyOptions {
  choose?: FaultyProxy['choose']
  /** Milliseconds. */
  now?: () => number
}

/**
 * A real server in front of another one that injects faults. It forwards the bytes of whole messages, and opens its own connection for each of its
 * clients'. It ends with the test.
 */
export async function startFaultyProxy(
  t: Cleanup,
  target: string,
  { choose = () => undefined, now = () => performance.now() }: ProxyOptions = {},
): Promise<FaultyProxy> {
  const { hostname, port } = new URL(target)
  const ending = new AbortController()
  const sockets = new Set<Socket>()
  const requests: ProxiedRequest[] = []
  const underway = new Set<Promise<void>>()

  const server = createServer(async client => {
    keep(client)
    const received = messagesOf(client)
    let service: { socket: Socket; answered: () => Promise<Message | undefined> } | undefined
    for (let message = await received(); message; message = await received()) {
      const done = carryOut(message, client, async bytes => {
        // Not earlier: the service closes a connection on which no request arrives, and the client's would end with it.
        service ??= reach(client)
        service.socket.write(bytes)
        return service.answered()
      })
      underway.add(done)
      await done.catch(() => client.destroy())
      underway.delete(done)
    }
    service?.socket.destroy()
  })

  function reach(client: Socket) {
    const socket = connect(Number(port), hostname)
    keep(socket)
    socket.on('close', () => client.destroy())
    return { socket, answered: messagesOf(socket) }
  }

  async function carryOut(message: Message, client: Socket, pass: (bytes: Buffer) => Promise<Message | undefined>) {
    const request = read(message, now())
    requests.push(request)
    const fault = proxy.choose(request)
    request.fault = fault
    if (fault === CUT_BEFORE) return void client.destroy()
    if (fault?.kind === 'delay') await sleep(fault.ms, undefined, { signal: ending.signal })
    const answer = fault?.kind === 'answer' ? write(fault) : await pass(message.bytes)
    if (fault === CUT_AFTER || !answer) return void client.destroy()
    if (fault === CUT_IN_BODY) {
      const half = answer.head.length + Math.floor((answer.bytes.length - answer.head.length) / 2)
      return void client.write(answer.bytes.subarray(0, half), () => client.destroy())
    }
    request.status = Number(answer.head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length))
    const retryAfter = headerOf(answer, 'retry-after')
    request.retryAfterSeconds = retryAfter === undefined ? undefined : Number(retryAfter)
    request.answeredAt = now()
    client.write(answer.bytes)
  }

  function keep(socket: Socket): void {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(async () => {
    ending.abort()
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const proxy: FaultyProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    choose,
    settled: async () => void (await Promise.all(underway)),
  }
  return proxy
}

/** A request or an answer with its body, whose length both sides declare. */
interface Message {
  /** Including the empty line at its end. */
  head: string
  /** The whole message. */
  bytes: Buffer
}

/** Returns a function that reads the messages one by one; undefined at the end of the connection. */
function messagesOf(socket: Socket): () => Promise<Message | undefined> {
  let bytes: Buffer = Buffer.alloc(0)
  let isOver = false
  let wake = () => {}
  socket.on('data', (more: Buffer) => {
    bytes = bytes.length === 0 ? more : Buffer.concat([bytes, more])
    wake()
  })
  socket.on('close', () => {
    isOver = true
    wake()
  })
  return async () => {
    for (;;) {
      const message = firstOf(bytes)
      if (message) {
        bytes = bytes.subarray(message.bytes.length)
        return message
      }
      if (isOver) return undefined
      await new Promise<void>(resolve => {
        wake = resolve
      })
    }
  }
}

function firstOf(bytes: Buffer): Message | undefined {
  const headLength = bytes.indexOf(END_OF_HEAD) + END_OF_HEAD.length
  if (headLength < END_OF_HEAD.length) return undefined
  const head = bytes.toString('latin1', 0, headLength)
  const length = headLength + Number(headerOf({ head }, 'content-length') ?? 0)
  return bytes.length < length ? undefined : { head, bytes: bytes.subarray(0, length) }
}

const END_OF_HEAD = '\r\n\r\n'

function headerOf({ head }: Pick<Message, 'head'>, name: string): string | undefined {
  return new RegExp(`^${name}: *(.*)\r$`, 'im').exec(head)?.[1]
}

function read(message: Message, at: number): ProxiedRequest {
  const [method = '', path = ''] = message.head.split(' ', 2)
  return {
    at,
    method,
    path,
    key: headerOf(message, 'authorization')?.replace(/^Bearer /, ''),
    idempotencyKey: headerOf(message, 'idempotency-key'),
    userAgent: headerOf(message, 'user-agent'),
    fault: undefined,
    status: undefined,
    retryAfterSeconds: undefined,
    answeredAt: undefined,
  }
}

function write({ status, headers, body }: OwnAnswer): Message {
  const lines = Object.entries({ ...headers, 'content-length': body.length }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  const head = [`HTTP/1.1 ${status} Fault`, ...lines, '', ''].join('\r\n')
  return { head, bytes: Buffer.concat([Buffer.from(head), body]) }
}

/** Asserts that no request came before the end of the wait that a refusal asked for. Only valid if no other call was in flight. */
export function assertNoneEarly(requests: readonly ProxiedRequest[]): void {
  for (const { answeredAt, retryAfterSeconds } of requests) {
    if (answeredAt === undefined || retryAfterSeconds === undefined) continue
    const next = requests.find(({ at }) => at > answeredAt)
    if (!next) continue
    const waitedMs = next.at - answeredAt
    assert.ok(waitedMs >= retryAfterSeconds * 1_000, `${waitedMs} ms were waited, not ${retryAfterSeconds} s`)
  }
}

/** The pauses between each answer and the next request, for sequential requests. */
export function pausesOf(requests: readonly ProxiedRequest[]): number[] {
  return requests.slice(1).map(({ at }, index) => at - (requests[index]?.answeredAt ?? Number.NaN))
}
