import assert from 'node:assert/strict'
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cleanup } from '../cleanup.ts'
import { eventually } from '../eventually.ts'
import { startPrivateServer } from './private-server.ts'
import { askRedis, REDIS_PROGRAM, type RedisServer, startRedis } from './redis.ts'

/** The name under which the Sentinels know the primary. */
export const PRIMARY_NAME = 'pets'

const SENTINELS = 3
const QUORUM = 2
const DOWN_AFTER_MS = 1_000
const FAILOVER_MS = 5_000

export interface WatchedRedis {
  primary: RedisServer
  replica: RedisServer
  sentinels: RedisServer[]
  /** A URL of each Sentinel. */
  urls: string[]
}

/** A primary, its replica, and three Sentinels that let the replica take over. All of it ends with the test. */
export async function startWatchedRedis(t: Cleanup): Promise<WatchedRedis> {
  const primary = await startRedis()
  t.after(() => primary.close())
  const replica = await startRedis(['--replicaof', '127.0.0.1', String(primary.port)])
  t.after(() => replica.close())
  const sentinels: RedisServer[] = []
  for (let index = 0; index < SENTINELS; index += 1) {
    sentinels.push(await startSentinel(t, primary.port))
  }
  for (const one of sentinels) {
    await eventually(async () => {
      assert.match(await one.command(`SENTINEL CKQUORUM ${PRIMARY_NAME}`), /^\+OK 3 usable/)
      assert.match(await one.command(`SENTINEL REPLICAS ${PRIMARY_NAME}`), /\r\nslave\r\n/)
    })
  }
  return { primary, replica, sentinels, urls: sentinels.map(({ url }) => `${url}?sentinel=${PRIMARY_NAME}`) }
}

/**
 * A Sentinel that watches the primary at this port. It ends with the test.
 * @param lines more lines of its file
 */
export async function startSentinel(
  t: Cleanup,
  primaryPort: number,
  lines: readonly string[] = [],
): Promise<RedisServer> {
  const server = await startPrivateServer({
    name: 'sentinel',
    command(folder, port) {
      const file = join(folder, 'sentinel.conf')
      // It saves its state to its file, and reads it after a restart.
      if (!existsSync(file)) {
        writeFileSync(file, [...configure(folder, port), ...lines, ...watch(primaryPort), ''].join('\n'))
        chmodSync(file, 0o666)
      }
      return [REDIS_PROGRAM as string, file, '--sentinel']
    },
    isReady: async port => /^[+-]/.test(await askRedis(port, 'PING').catch(() => '')),
  })
  t.after(() => server.close())
  return Object.assign(server, {
    url: `redis://127.0.0.1:${server.port}`,
    command: (text: string) => askRedis(server.port, text),
  })
}

function configure(folder: string, port: number): string[] {
  return [`port ${port}`, 'bind 127.0.0.1', `dir ${folder}`]
}

function watch(primaryPort: number): string[] {
  return [
    `sentinel monitor ${PRIMARY_NAME} 127.0.0.1 ${primaryPort} ${QUORUM}`,
    `sentinel down-after-milliseconds ${PRIMARY_NAME} ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout ${PRIMARY_NAME} ${FAILOVER_MS}`,
  ]
}
