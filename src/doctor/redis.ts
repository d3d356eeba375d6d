import { namesCluster } from '../redis/connection.ts'
import { inspectRedis, type RedisServer } from '../redis/inspect.ts'
import { formatBytes } from './bytes.ts'
import { compareClocks } from './clock.ts'
import type { Finding } from './finding.ts'

const CHECK = 'redis'
const WARN_ABOVE_SHARE = 0.8

/** Checks each of the servers in which calls are to be counted. */
export async function examineRedis(urls: readonly string[]): Promise<Finding[]> {
  const findings = await Promise.all(urls.map(url => checkServer(url, namesCluster(urls))))
  return findings.flat()
}

async function checkServer(url: string, asCluster: boolean): Promise<Finding[]> {
  // Neither user nor password.
  const place = new URL(url).host
  try {
    return judgeRedis(place, await inspectRedis(url), asCluster)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return [finding('fail', `Redis at ${place} cannot be used: ${error.message.replace(/\.$/, '')}.`)]
  }
}

/** @param asCluster whether the settings name it as a node of a cluster */
export function judgeRedis(place: string, server: RedisServer, asCluster: boolean): Finding[] {
  const name = `${server.product} at ${place}`
  return [
    finding('ok', `${server.product} ${server.version} answers at ${place}; ${describeMemory(server)}.`),
    ...judgeRole(name, server, asCluster),
    ...judgeMemory(name, server),
    judgePersistence(name, server),
    compareClocks(name, server.clockAheadMs),
  ]
}

function describeMemory({ usedBytes, boundBytes }: RedisServer): string {
  return `it uses ${formatBytes(usedBytes)} of memory, ${boundBytes === 0 ? 'without a bound' : `of ${formatBytes(boundBytes)} allowed`}`
}

function judgeRole(name: string, server: RedisServer, asCluster: boolean): Finding[] {
  if (server.isOfCluster && !asCluster) {
    const remedy = 'name several of its nodes in PETSTORE_REDIS_URL, or add ?cluster=true'
    return [finding('fail', `${name} is a node of a cluster; ${remedy}.`)]
  }
  if (server.isOfCluster) {
    return server.isClusterWhole
      ? []
      : [finding('fail', `The cluster of ${name} is not whole: some of its keys cannot be used (CLUSTER INFO).`)]
  }
  if (asCluster) {
    return [finding('fail', `${name} belongs to no cluster, as PETSTORE_REDIS_URL says; name one server alone there.`)]
  }
  if (!server.isReplica) return []
  return [finding('fail', `${name} is a replica, which cannot be written; let PETSTORE_REDIS_URL name the primary.`)]
}

function judgeMemory(name: string, { usedBytes, boundBytes, evictionPolicy }: RedisServer): Finding[] {
  const isTight = boundBytes > 0 && usedBytes > boundBytes * WARN_ABOVE_SHARE
  return [
    ...(isTight
      ? [
          finding(
            'warn',
            `${name} is short of memory; raise maxmemory, or each instance counts alone when it is used up.`,
          ),
        ]
      : []),
    ...(evictionPolicy === 'noeviction'
      ? []
      : [
          finding(
            'warn',
            `${name} drops counts when memory is short (maxmemory-policy ${evictionPolicy}); set noeviction.`,
          ),
        ]),
  ]
}

/** The store has the counts and the bans: what is lost with Redis is little. */
function judgePersistence(name: string, { isPersistent, hasSavingFailed }: RedisServer): Finding {
  if (hasSavingFailed) {
    return finding(
      'warn',
      `${name} could not write to its disk the last time, and may refuse to be written; see its log.`,
    )
  }
  if (isPersistent) return finding('ok', `${name} writes what it holds to its disk, and has it again after a restart.`)
  const words = isPersistent === undefined ? 'does not tell whether it keeps anything' : 'keeps nothing on its disk'
  return finding(
    'ok',
    `${name} ${words}: a restart forgets the strikes towards bans; counts and bans come back from the store.`,
  )
}

function finding(outcome: Finding['outcome'], message: string): Finding {
  return { check: CHECK, outcome, message }
}
