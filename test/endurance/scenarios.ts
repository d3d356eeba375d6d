import type { Scenario } from './scenario.ts'
import { clock } from './scenarios/clock.ts'
import { damagedFiles } from './scenarios/damaged-files.ts'
import { diskErrors } from './scenarios/disk-errors.ts'
import { diskFull } from './scenarios/disk-full.ts'
import { diskReadOnly } from './scenarios/disk-read-only.ts'
import { diskSlow } from './scenarios/disk-slow.ts'
import { diskUnreadable } from './scenarios/disk-unreadable.ts'
import { fewDescriptors } from './scenarios/few-descriptors.ts'
import { idleConnections } from './scenarios/idle-connections.ts'
import { kill } from './scenarios/kill.ts'
import { littleMemory } from './scenarios/little-memory.ts'
import { oddRequests } from './scenarios/odd-requests.ts'
import { postgresFailover } from './scenarios/postgres-failover.ts'
import { redisCluster } from './scenarios/redis-cluster.ts'
import { redisSentinel } from './scenarios/redis-sentinel.ts'
import { slowClients } from './scenarios/slow-clients.ts'
import { soak } from './scenarios/soak.ts'
import { unreadAnswers } from './scenarios/unread-answers.ts'

/** Every scenario, in the order in which they run. */
export const SCENARIOS: readonly Scenario[] = [
  kill,
  diskFull,
  diskReadOnly,
  diskErrors,
  diskUnreadable,
  diskSlow,
  damagedFiles,
  clock,
  idleConnections,
  slowClients,
  unreadAnswers,
  fewDescriptors,
  littleMemory,
  oddRequests,
  postgresFailover,
  redisCluster,
  redisSentinel,
  soak,
]
