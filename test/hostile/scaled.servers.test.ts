import { test } from 'node:test'
import { makeSharedStore } from '../support/servers/instances.ts'
import { skip } from '../support/servers/needs.ts'
import { noPostgres } from '../support/servers/postgres.ts'
import { noRedis } from '../support/servers/redis.ts'
import { walk } from './walk.ts'

const missing = noPostgres ?? noRedis
if (missing) test('hostile clients', t => void skip(t, missing))
else await walk({ makeStore: makeSharedStore, instances: 1, hasProxyHeader: false })
