import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const CONFIG = fileURLToPath(new URL('../../../deploy/haproxy/haproxy.cfg', import.meta.url))

/** Where the balancer connects from: what instances must trust. */
export const BALANCER_ADDRESS = '127.0.0.2'

/** The number under which HAProxy finds the socket that it inherits: the first one behind its three streams. */
const INHERITED = 3

/** For how long connections that outlast their instances may stay. */
const PATIENCE_MS = 2_000

/** Those of this process, ended with it however it ends, short of kill -9. */
const running = new Map<ChildProcess, () => void>()
process.on('exit', () => {
  for (const [child, clear] of running) {
    child.kill('SIGKILL')
    clear()
  }
})

export interface BalancedInstance {
  port: number
  operatorPort: number
  /** Whether its operators' listener speaks HTTPS. */
  isEncrypted?: boolean
}

/** A real HAProxy in front of several instances. Its port is known before they are. */
export interface Balancer {
  url: string
  port: number
  /** From now on connections are spread over these; those made before have waited. */
  start(instances: readonly BalancedInstance[]): void
  /** Takes no more connections; those that are open go on. */
  stopAccepting(): void
  close(): Promise<void>
}

export async function openBalancer(): Promise<Balancer> {
  // HAProxy inherits the open socket, so that nobody else can take the port before it starts.
  const socket = createServer().listen(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address() as AddressInfo
  let clear = () => {}
  let child: ChildProcess | undefined
  let ended: Promise<unknown> = Promise.resolve()
  let said = ''
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    start(instances) {
      const folder = mkdtempSync(join(tmpdir(), 'petstore-haproxy-'))
      clear = () => rmSync(folder, { recursive: true, force: true })
      const file = join(folder, 'haproxy.cfg')
      writeFileSync(file, configure(instances, folder))
      child = spawn('haproxy', ['-db', '-n', '2000', '-f', file], {
        stdio: ['ignore', 'ignore', 'pipe', descriptorOf(socket)],
      })
      child.stderr?.setEncoding('utf8').on('data', text => {
        said += text
      })
      ended = once(child, 'exit')
      running.set(child, clear)
      socket.close()
    },
    stopAccepting: () => void child?.kill('SIGUSR1'),
    async close() {
      assert.ok(!child?.exitCode, `HAProxy could not go on: ${said}`)
      child?.kill('SIGUSR1')
      const inTime = new AbortController()
      await Promise.race([ended, sleep(PATIENCE_MS, undefined, { signal: inTime.signal }).catch(() => {})])
      inTime.abort()
      child?.kill('SIGKILL')
      await ended
      if (child) running.delete(child)
      socket.close()
      clear()
    },
  }
}

/** Node passes an open file on by its number alone, and tells that of a socket nowhere else. */
function descriptorOf(socket: Server): number {
  return (socket as unknown as { _handle: { fd: number } })._handle.fd
}

/** What is committed is what runs. Of it are exchanged: where the instances are, and what the balancer listens on and connects from. */
function configure(instances: readonly BalancedInstance[], folder: string): string {
  const exchanges: [from: string, to: string][] = instances.map(({ port, operatorPort, isEncrypted }, index) => [
    `petstore-${index + 1}:8080 port 8081\n`,
    `127.0.0.1:${port} port ${operatorPort}${isEncrypted ? ' check-ssl verify none' : ''}\n`,
  ])
  exchanges.push(
    ['bind :8080\n', `bind fd@${INHERITED}\n`],
    ['bind :8404\n', `bind unix@${join(folder, 'watch.sock')}\n`],
    ['default-server ', `default-server source ${BALANCER_ADDRESS} `],
  )
  let config = readFileSync(CONFIG, 'utf8')
  for (const [from, to] of exchanges) {
    assert.equal(config.split(from).length, 2, `once in haproxy.cfg: ${from}`)
    config = config.replace(from, to)
  }
  return config
}
