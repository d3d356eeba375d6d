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

/** The address that the balancer connects from, which instances must trust. */
export const BALANCER_ADDRESS = '127.0.0.2'

/** The file descriptor of the socket that HAProxy inherits: the first after its three standard streams. */
const INHERITED = 3

/** How long connections may outlast their instances. */
const PATIENCE_MS = 2_000

/** The balancers of this process. They end with it however it ends, except with kill -9. */
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

/** A real HAProxy in front of several instances. Its port is known before they start. */
export interface Balancer {
  url: string
  port: number
  /**
   * Starts to balance connections over these instances; earlier connections have waited.
   * @param checks whether instances that are not ready get no connections
   */
  start(instances: readonly BalancedInstance[], checks?: boolean): void
  /** Accepts no more connections; open ones continue. */
  stopAccepting(): void
  close(): Promise<void>
}

export async function openBalancer(): Promise<Balancer> {
  // HAProxy inherits the open socket, so that no other process can take the port before it starts.
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
    start(instances, checks = true) {
      const folder = mkdtempSync(join(tmpdir(), 'petstore-haproxy-'))
      clear = () => rmSync(folder, { recursive: true, force: true })
      const file = join(folder, 'haproxy.cfg')
      writeFileSync(file, configure(instances, folder, checks))
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

/** Node passes an open file to a child only by its descriptor, and exposes that of a socket nowhere else. */
function descriptorOf(socket: Server): number {
  return (socket as unknown as { _handle: { fd: number } })._handle.fd
}

/** The committed configuration, with or without its checks. Otherwise, only addresses are replaced: those of the instances and of the balancer. */
function configure(instances: readonly BalancedInstance[], folder: string, checks: boolean): string {
  const exchanges: [from: string, to: string][] = instances.map(({ port, operatorPort, isEncrypted }, index) => [
    `petstore-${index + 1}:8080 port 8081\n`,
    `127.0.0.1:${port} port ${operatorPort}${isEncrypted ? ' check-ssl verify none' : ''}\n`,
  ])
  exchanges.push(
    ['bind :8080\n', `bind fd@${INHERITED}\n`],
    ['bind :8404\n', `bind unix@${join(folder, 'watch.sock')}\n`],
    ['default-server check ', `default-server ${checks ? 'check' : 'no-check'} source ${BALANCER_ADDRESS} `],
  )
  let config = readFileSync(CONFIG, 'utf8')
  for (const [from, to] of exchanges) {
    assert.equal(config.split(from).length, 2, `once in haproxy.cfg: ${from}`)
    config = config.replace(from, to)
  }
  return config
}
