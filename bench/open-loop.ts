import { connect, type Socket } from 'node:net'
import { summarizeAnswers } from './answers.ts'
import { readRequests } from './order-file.ts'
import type { OpenLoopPhase, PhaseResult } from './overload-load.ts'

/**
 * Sends calls at a fixed rate, however slowly they are answered: `node open-loop.ts URL ORDER_FILE CONNECTIONS PHASES`, with PHASES as
 * JSON. If all connections are busy, a call is counted but not sent. Parses only the HTTP that these answers use.
 */
const [address = '', orderFile = '', connections = '', plan = ''] = process.argv.slice(2)
const phases = JSON.parse(plan) as OpenLoopPhase[]
const { hostname, port, host } = new URL(address)
const requests = readRequests(orderFile, host)
const count = Number(connections)
/** Idle connections, the longest idle first. */
const idle: Caller[] = []
let result = emptyResult()
let phaseBeganAt = 0
let failures = 0

interface Caller {
  socket: Socket
  sentAt: number
  /** The status of the answer that is arriving, and the number of its missing bytes. 0 before its first byte. */
  status: number
  missing: number
}

await Promise.all(Array.from({ length: count }, open))
const results: PhaseResult[] = []
for (const phase of phases) results.push(await run(phase))
for (const { socket } of idle) socket.destroy()
process.stdout.write(`${JSON.stringify({ phases: results, failures })}\n`)
process.exit()

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

function run({ rate, seconds }: OpenLoopPhase): Promise<PhaseResult> {
  result = emptyResult()
  phaseBeganAt = performance.now()
  return new Promise(resolve => {
    const tick = () => {
      const elapsed = (performance.now() - phaseBeganAt) / 1_000
      const due = Math.floor(Math.min(elapsed, seconds) * rate)
      while (result.offered < due) {
        result.offered++
        const caller = idle.shift()
        if (caller) send(caller)
        else result.unsent++
      }
      if (elapsed < seconds) setImmediate(tick)
      else resolve(finish(elapsed))
    }
    tick()
  })
}

function send(caller: Caller): void {
  caller.sentAt = performance.now()
  caller.socket.write(requests[Math.floor(Math.random() * requests.length)] as Buffer)
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
  note(caller.status, performance.now() - caller.sentAt)
  caller.status = 0
  idle.push(caller)
}

function note(status: number, ms: number): void {
  if (status === 503) result.refusedMs.push(ms)
  else if (status === 200 || status === 201) result.admittedMs.push(ms)
  else failures++
  if (status === 503) result.lastRefusedMs = performance.now() - phaseBeganAt
}

function finish(seconds: number): PhaseResult {
  const { admittedMs, refusedMs, ...rest } = result
  return { ...rest, seconds, admitted: summarizeAnswers(admittedMs), refused: summarizeAnswers(refusedMs) }
}

function emptyResult() {
  return {
    offered: 0,
    unsent: 0,
    lastRefusedMs: 0,
    admittedMs: [] as number[],
    refusedMs: [] as number[],
  }
}
