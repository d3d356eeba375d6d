import { NotPossible } from '../../support/servers/needs.ts'
import { noPostgres } from '../../support/servers/postgres.ts'
import { noRedis, type RedisServer } from '../../support/servers/redis.ts'
import { startReplicatedCluster } from '../../support/servers/redis-cluster.ts'
import { failRedisOver } from '../redis-failover.ts'
import type { Scenario } from '../scenario.ts'

export const redisCluster: Scenario = {
  name: 'redis-cluster',
  explanation: 'one of three primaries is killed, five times, under 1,200 calls a second for 20 accounts',
  maxSeconds: 600,
  async run(stage) {
    const missing = noPostgres ?? noRedis
    if (missing) throw new NotPossible(missing)
    await failRedisOver(stage, async t => {
      const { primaries } = await startReplicatedCluster(t)
      const [first] = primaries as [RedisServer, ...RedisServer[]]
      return { urls: primaries.map(({ url }) => url).join(), fail: () => first.signal('SIGKILL') }
    })
  },
}
