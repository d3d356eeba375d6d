import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import type { Load } from './load.ts'

type Answers = Pick<Load, 'calls' | 'p50Ms' | 'p99Ms'>

export interface PhaseResult {
  seconds: number
  /** The calls that were due, and how many of them found every connection busy. */
  offered: number
  unsent: number
  admitted: Answers
  refused: Answers
  /** From the start of the phase to its last 503. */
  lastRefusedMs: number
}

interface Caller {
  socket: Socket
  sentAt: number
  /** The status of the answer that is arriving, and the number of its missing bytes. 0 before its first byte. */
  status: number
  missing: number
}

/**
 * Sends calls at a fixed rate, however slowly they are answered: `node open-loop.ts URL ORDER_FILE CONNECTIONS PHASES`, with PHASES as
 * JSON: calls per second, and seconds. If all connections are busy, a call is counted but not sent. Parses only the HTTP that these answers use.
 */
const [address = '', orderFile = '', connections = '', plan = ''] = process.argv.slice(2)
const phases: { rate: number; seconds: number }[] = JSON.parse(plan)
const { hostname, port, host } = new URL(address)
const requests = readRequests()
/** Idle connections, the longest idle first. */
const idle: Caller[] = []
let result = emptyResult()
let phaseBeganAt = 0
let failures = 0

await Promise.all(Array.from({ length: Number(connections) }, open))
const results: PhaseResult[] = []
for (const { rate, seconds } of phases) results.push(await run(rate, seconds))
for (const { socket } of idle) socket.destroy()
process.stdout.write(`${JSON.stringify({ results, failures })}\n`)
process.exit()

function readRequests(): Buffer[] {
  const [method, body = '', ...calls] = readFileSync(orderFile, 'utf8').trimEnd().split('\n')
  const content = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
  return calls.map(call => {
    const [key, path] = call.split(' ')
    const headers = `Host: ${host}\r\nAuthorization: Bearer ${key}\r\n${content}`
    return Buffer.from(`${method} ${path} HTTP/1.1\r\n${headers}\r\n${body}`)
  })
}

function open(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    const caller: Caller = { socket, sentAt: 0, status: 0, missing: 0 }
    socket.once('connect', () => {
      idle.push(caller)
      resolve()
    })
    socket.once('error', reject)
    socket.on('error', () => failures++)
    socket.on('data', (bytes: Buffer) => receive(caller, bytes))
  })
}

function run(rate: number, seconds: number): Promise<PhaseResult> {
  result = emptyResult()
  phaseBeganAt = performance.now()
  return new Promise(resolve => {
    const tick = () => {
      const elapsed = (performance.now() - phaseBeganAt) / 1_000
      const due = Math.floor(Math.min(elapsed, seconds) * rate)
      while (result.offered < due) {
        result.offered++
        const caller = idle.shift()
        if (caller) caller.sentAt = performance.now()
        else result.unsent++
        caller?.socket.write(requests[Math.floor(Math.random() * requests.length)] as Buffer)
      }
      if (elapsed < seconds) setImmediate(tick)
      else resolve(finish(elapsed))
    }
    tick()
  })
}

function receive(caller: Caller, bytes: Buffer): void {
  if (caller.status === 0) {
    caller.status = Number(bytes.toString('latin1', 9, 12))
    const bodyAt = bytes.indexOf('\r\n\r\n') + 4
    const lengthAt = bytes.indexOf('Content-Length: ') + 16
    caller.missing = bodyAt + Number.parseInt(bytes.toString('latin1', lengthAt, lengthAt + 8), 10)
  }
  caller.missing -= bytes.length
  if (caller.missing > 0) return
  const now = performance.now()
  if (caller.status === 503) result.lastRefusedMs = now - phaseBeganAt
  if (caller.status === 503) result.refusedMs.push(now - caller.sentAt)
  else if (caller.status === 200 || caller.status === 201) result.admittedMs.push(now - caller.sentAt)
  else failures++
  caller.status = 0
  idle.push(caller)
}

function finish(seconds: number): PhaseResult {
  const { admittedMs, refusedMs, ...rest } = result
  const of = (times: number[]) => {
    const sorted = times.toSorted((one, other) => one - other)
    const percentile = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
    return { calls: sorted.length, p50Ms: percentile(0.5), p99Ms: percentile(0.99) }
  }
  return { ...rest, seconds, admitted: of(admittedMs), refused: of(refusedMs) }
}

function emptyResult() {
  return { offered: 0, unsent: 0, lastRefusedMs: 0, admittedMs: [] as number[], refusedMs: [] as number[] }
}
