import { skip } from '../support/servers/needs.ts'
import { noRedis, sharedRedisUrl } from '../support/servers/redis.ts'
import { startTestService } from '../support/service.ts'
import { testUnreadableCalls } from './unreadable-calls.ts'

testUnreadableCalls('in Redis', async t => {
  if (noRedis) return skip(t, noRedis) || undefined
  return startTestService(t, { config: { redisUrls: [await sharedRedisUrl()] } })
})
