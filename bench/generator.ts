import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'

/**
 * Replaces wrk if that is not installed: `node generator.ts URL ORDER_FILE CONNECTIONS SECONDS`.
 * Uses plain sockets and supports only as much HTTP as these answers need: a status line and a Content-Length.
 */
const [address = '', orderFile = '', connections = '', seconds = ''] = process.argv.slice(2)
const { hostname, port, host } = new URL(address)
const [method, key, body = '', ...paths] = readFileSync(orderFile, 'utf8').trimEnd().split('\n')
const requests = paths.map(path => Buffer.from(format(path)))
const latencies: number[] = []
let failures = 0
let isOver = false

const startedAt = performance.now()
const sockets = Array.from({ length: Number(connections) }, call)
setTimeout(report, Number(seconds) * 1_000)

/** Opens a connection that sends its next call when the last one is answered. */
function call(): Socket {
  let received = ''
  let sentAt = 0
  const socket = connect({ host: hostname, port: Number(port), noDelay: true }).setEncoding('latin1')
  const send = () => {
    sentAt = performance.now()
    socket.write(requests[Math.floor(Math.random() * requests.length)] as Buffer)
  }
  socket.on('connect', send)
  socket.on('data', (text: string) => {
    received += text
    const bodyAt = received.indexOf('\r\n\r\n') + 4
    if (bodyAt < 4) return
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(received.slice(0, bodyAt))?.[1] ?? Number.NaN)
    if (received.length < bodyAt + length) return
    latencies.push(performance.now() - sentAt)
    if (!/^HTTP\/1\.1 2/.test(received) || received.length !== bodyAt + length) failures++
    received = ''
    if (!isOver) send()
  })
  socket.on('error', () => failures++)
  return socket
}

function report(): void {
  isOver = true
  const elapsed = (performance.now() - startedAt) / 1_000
  for (const socket of sockets) socket.destroy()
  latencies.sort((one, other) => one - other)
  const percentile = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0
  const load = { calls: latencies.length, failures, seconds: elapsed, p50Ms: percentile(0.5), p99Ms: percentile(0.99) }
  process.stdout.write(`${JSON.stringify(load)}\n`)
}

function format(path: string): string {
  const content = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
  return `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n${content}\r\n${body}`
}
