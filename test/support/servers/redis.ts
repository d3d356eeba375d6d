import { once } from 'node:events'
import { connect } from 'node:net'
import { setPriority } from 'node:os'
import { findProgram } from './needs.ts'
import { type PrivateServer, startPrivateServer } from './private-server.ts'

export interface RedisServer extends PrivateServer {
  url: string
  /** Sends one command, its words separated by spaces, and returns the raw reply. */
  command(text: string): Promise<string>
}

export const REDIS_PROGRAM = findProgram('redis-server') ?? findProgram('valkey-server')

/** Why Redis cannot run here; undefined if it can. */
export const noRedis =
  process.env.PETSTORE_TEST_REDIS_URL || REDIS_PROGRAM
    ? undefined
    : 'neither Redis nor Valkey is installed, and PETSTORE_TEST_REDIS_URL is not set'

/**
 * A private Redis server of the test, without persistence.
 * @param options such as `--maxmemory 2mb`
 * @param under the words of a command that runs it, such as `env NAME=VALUE`
 */
export async function startRedis(options: readonly string[] = [], under: readonly string[] = []): Promise<RedisServer> {
  if (!REDIS_PROGRAM) throw new Error('Neither Redis nor Valkey is installed.')
  const server = await startPrivateServer({
    name: 'redis',
    command: (folder, port) => {
      const own = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no']
      return [...under, REDIS_PROGRAM, ...own, ...options] as [string, ...string[]]
    },
    isReady: async port => (await askRedis(port, 'PING').catch(() => '')).startsWith('+PONG'),
  })
  hurry(server.pid)
  return Object.assign(server, {
    url: `redis://127.0.0.1:${server.port}`,
    command: (text: string) => askRedis(server.port, text),
  })
}

let shared: Promise<RedisServer> | undefined

/** The server that tests share: the one at PETSTORE_TEST_REDIS_URL, or one of this process. Each store has its own keys in it. */
export async function sharedRedisUrl(): Promise<string> {
  const named = process.env.PETSTORE_TEST_REDIS_URL
  if (named) return named
  shared ??= startRedis()
  return (await shared).url
}

/**
 * Gives the server priority over the tests' own processes, if this user may. In production it has its own machine; here it would wait for them longer
 * than the service waits for it.
 */
function hurry(pid: number): void {
  try {
    setPriority(pid, HIGHEST_PRIORITY)
  } catch {
    // Only root may do this.
  }
}

const HIGHEST_PRIORITY = -20

/** Sends one command to a server on this machine, its words separated by spaces, and returns the raw reply. */
export async function askRedis(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  try {
    await once(socket, 'connect')
    socket.write(`${text}\r\n`)
    const [answer] = await once(socket, 'data')
    return answer
  } finally {
    socket.destroy()
  }
}
