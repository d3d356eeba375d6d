import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { parseConfig } from '../../src/app/config.ts'
import { startService, type Timeouts } from '../../src/app/service.ts'
import type { Cleanup } from '../support/cleanup.ts'
import type { TestStore } from '../support/command-line.ts'

/** The state that an instance reports. */
export interface Inspection {
  /** The number of open client connections, on both listeners. */
  connections: number
  /** Live bytes on the heap and in buffers, after a garbage collection. */
  aliveBytes: number
  rssBytes: number
  /** All bytes written to clients so far. */
  writtenBytes: number
}

/** An instance in a separate process: an unhandled error ends it, as it would end the real one. */
export interface Instance {
  port: number
  operatorPort: number
  operatorUrl: string
  inspect(options?: { collectGarbage?: boolean }): Promise<Inspection>
  /** Every complete line of its log so far. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects
  log(): any[]
  /** Its standard error: warnings of Node, or the error that ended it. */
  complaints(): string
  hasEnded(): boolean
}

/** Starts an instance that ends with the test. */
export async function startInstance(t: Cleanup, store: TestStore, timeouts: Partial<Timeouts>): Promise<Instance> {
  const child = fork(import.meta.filename, [JSON.stringify(timeouts)], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      PETSTORE_PORT: '0',
      PETSTORE_OPERATOR_PORT: '0',
      ...store.env,
    },
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const exited = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGKILL')
    await exited
  })
  let log = ''
  let complaints = ''
  child.stdout?.setEncoding('utf8').on('data', text => {
    log += text
  })
  child.stderr?.setEncoding('utf8').on('data', text => {
    complaints += text
  })
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const ask = async (question: string): Promise<unknown> => {
    assert.ok(!hasEnded(), `the process has ended: ${complaints}`)
    child.send(question)
    const [answer] = await Promise.race([once(child, 'message'), exited])
    assert.ok(!hasEnded(), `the process has ended: ${complaints}`)
    return answer
  }
  const { url, operatorUrl } = (await ask('start')) as { url: string; operatorUrl: string }
  return {
    port: Number(new URL(url).port),
    operatorPort: Number(new URL(operatorUrl).port),
    operatorUrl,
    inspect: async ({ collectGarbage = false } = {}) =>
      (await ask(collectGarbage ? 'collect' : 'inspect')) as Inspection,
    log: () =>
      log
        .slice(0, log.lastIndexOf('\n') + 1)
        .split('\n')
        .filter(line => line !== '')
        .map(line => JSON.parse(line)),
    complaints: () => complaints,
    hasEnded,
  }
}

if (import.meta.main) {
  const sockets = new Set<Socket>()
  let writtenBefore = 0
  subscribe('net.server.socket', message => {
    const { socket } = message as { socket: Socket }
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      writtenBefore += socket.bytesWritten
    })
  })
  const answers: Record<string, () => Promise<unknown>> = {
    async start() {
      const { url, operatorUrl } = await startService(parseConfig(process.env), {
        timeouts: JSON.parse(process.argv[2] ?? '{}'),
      })
      return { url, operatorUrl }
    },
    async collect() {
      // The second collection frees the objects that the finalizers of the first one released.
      for (let round = 0; round < 2; round += 1) {
        globalThis.gc?.()
        await new Promise(resolve => setImmediate(resolve))
      }
      return inspect()
    },
    inspect,
  }
  async function inspect(): Promise<Inspection> {
    const { heapUsed, external, rss } = process.memoryUsage()
    const writtenBytes = [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, writtenBefore)
    return { connections: sockets.size, aliveBytes: heapUsed + external, rssBytes: rss, writtenBytes }
  }
  process.on('message', async question => process.send?.(await answers[question as string]?.()))
  process.on('disconnect', () => process.exit())
}
