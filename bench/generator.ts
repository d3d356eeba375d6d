import { connect, type Socket } from 'node:net'
import { summarizeAnswers } from './answers.ts'
import { readRequests } from './order-file.ts'

/**
 * Replaces wrk if it is not installed: `node generator.ts URL ORDER_FILE CONNECTIONS SECONDS`.
 * Uses plain sockets and parses only the HTTP that these answers use: a status line and a Content-Length.
 */
const [address = '', orderFile = '', connections = '', seconds = ''] = process.argv.slice(2)
const { hostname, port, host } = new URL(address)
const requests = readRequests(orderFile, host)
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
  const load = { ...summarizeAnswers(latencies), failures, seconds: elapsed }
  process.stdout.write(`${JSON.stringify(load)}\n`)
}
