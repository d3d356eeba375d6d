import { NotPossible } from '../../support/servers/needs.ts'
import { noPostgres } from '../../support/servers/postgres.ts'
import { noRedis } from '../../support/servers/redis.ts'
import { startWatchedRedis } from '../../support/servers/redis-sentinel.ts'
import { failRedisOver } from '../redis-failover.ts'
import type { Scenario } from '../scenario.ts'

export const redisSentinel: Scenario = {
  name: 'redis-sentinel',
  explanation: 'the same with one primary, its replica and three Sentinels',
  maxSeconds: 600,
  async run(stage) {
    const missing = noPostgres ?? noRedis
    if (missing) throw new NotPossible(missing)
    await failRedisOver(stage, async t => {
      const { primary, urls } = await startWatchedRedis(t)
      return { urls: urls.join(), fail: () => primary.signal('SIGKILL') }
    })
  },
}
