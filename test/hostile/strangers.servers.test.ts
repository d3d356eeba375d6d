import { type TestContext, test } from 'node:test'
import { Redis } from 'ioredis'
import { canRunInstances } from '../support/servers/instances.ts'
import { skip } from '../support/servers/needs.ts'
import { noPostgres } from '../support/servers/postgres.ts'
import { noRedis, startRedis } from '../support/servers/redis.ts'
import { testStrangers, type WatchedRedis } from './strangers.ts'

test('strangers, scaled', async t => {
  const missing = noPostgres ?? noRedis
  if (missing) skip(t, missing)
  else await testStrangers(t, 'scaled', startWatchedRedis)
})

test('strangers, balanced', async t => {
  if (canRunInstances(t)) await testStrangers(t, 'balanced', startWatchedRedis)
})

async function startWatchedRedis(t: TestContext): Promise<WatchedRedis> {
  const server = await startRedis()
  t.after(() => server.close())
  const monitor = await openMonitor(server.url)
  t.after(() => monitor.disconnect())
  let scripts = 0
  monitor.on('monitor', (_, [command, , , key]: string[]) => {
    if (/^eval/i.test(command ?? '') && key?.includes(':address:')) scripts += 1
  })
  return {
    url: server.url,
    async scripts() {
      // Earlier commands to Redis come earlier in the monitor.
      const seen = new Promise<void>(resolve => {
        monitor.on('monitor', (_, args: string[]) => args.includes('all-seen') && resolve())
      })
      await server.command('ECHO all-seen')
      await seen
      return scripts
    },
  }
}

/** Sees every command that Redis gets. */
async function openMonitor(url: string): Promise<Redis> {
  const redis = new Redis(url)
  try {
    return await redis.monitor()
  } finally {
    redis.disconnect()
  }
}
