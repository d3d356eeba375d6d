import { formatBytes } from '../domain/bytes.ts'
import { reasonOf } from '../domain/system-error.ts'
import { cannotBeUsed, kindOf } from '../redis/connection.ts'
import { inspectRedis, inspectSentinel, type RedisServer } from '../redis/inspect.ts'
import { compareClocks } from './clock.ts'
import { type Finding, findingsOf } from './finding.ts'

const { ok, warn, fail } = findingsOf('redis')

const WARN_ABOVE_SHARE = 0.8

/** Checks each Redis server, and each Sentinel. */
export async function examineRedis(urls: readonly string[]): Promise<Finding[]> {
  const kind = kindOf(urls)
  const findings =
    kind === 'sentinels'
      ? [checkServer(urls, false), ...urls.map(checkSentinel)]
      : urls.map(url => checkServer([url], kind === 'cluster'))
  return (await Promise.all(findings)).flat()
}

/** @param urls one server, or the Sentinels that monitor it */
async function checkServer(urls: readonly string[], asCluster: boolean): Promise<Finding[]> {
  const place = urls.map(placeOf).join(', ')
  try {
    return judgeRedis(place, await inspectRedis(urls), asCluster)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return [fail(cannotBeUsed(place, error).message)]
  }
}

async function checkSentinel(url: string): Promise<Finding[]> {
  const place = placeOf(url)
  try {
    await inspectSentinel(url)
    return [ok(`The Sentinel at ${place} can fail over to a replica.`)]
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return [warn(`The Sentinel at ${place} cannot fail over to a replica: ${reasonOf(error)}.`)]
  }
}

/** Without user and password. */
function placeOf(url: string): string {
  return new URL(url).host
}

/** @param asCluster whether the settings say that it is a node of a cluster */
export function judgeRedis(place: string, server: RedisServer, asCluster: boolean): Finding[] {
  const name = `${server.product} at ${place}`
  return [
    ok(`${server.product} ${server.version} responds at ${place}; ${describeMemory(server)}.`),
    ...judgeRole(name, server, asCluster),
    ...judgeCoverage(name, server),
    ...judgeMemory(name, server),
    judgePersistence(name, server),
    compareClocks(name, server.clockAheadMs),
  ]
}

function describeMemory({ usedBytes, boundBytes }: RedisServer): string {
  const used = `it uses ${formatBytes(usedBytes)}`
  return boundBytes === 0 ? `${used} of memory, without a limit` : `${used} of ${formatBytes(boundBytes)} of memory`
}

function judgeRole(name: string, server: RedisServer, asCluster: boolean): Finding[] {
  if (server.isOfCluster && !asCluster) {
    return [fail(`${name} is a cluster node; list several nodes in PETSTORE_REDIS_URL, or add ?cluster=true.`)]
  }
  if (server.isOfCluster) {
    return server.isClusterWhole
      ? []
      : [fail(`The cluster of ${name} is incomplete: some of its keys cannot be used (see CLUSTER INFO).`)]
  }
  if (asCluster)
    return [fail(`${name} is not a cluster node; list one server in PETSTORE_REDIS_URL, without ?cluster=true.`)]
  if (!server.isReplica) return []
  return [fail(`${name} is a read-only replica; set PETSTORE_REDIS_URL to the primary.`)]
}

function judgeCoverage(name: string, { refusesUnlessWhole }: RedisServer): Finding[] {
  if (!refusesUnlessWhole) return []
  return [
    warn(
      `${name} counts no calls while any primary of its cluster is missing; set cluster-require-full-coverage to no.`,
    ),
  ]
}

function judgeMemory(name: string, { usedBytes, boundBytes, evictionPolicy }: RedisServer): Finding[] {
  const findings: Finding[] = []
  if (boundBytes > 0 && usedBytes > boundBytes * WARN_ABOVE_SHARE) {
    findings.push(warn(`${name} is low on memory; raise maxmemory. If it runs out, each instance counts alone.`))
  }
  if (evictionPolicy !== 'noeviction') {
    const policy = `maxmemory-policy ${evictionPolicy}`
    findings.push(warn(`${name} drops counts when memory is low (${policy}); set it to noeviction.`))
  }
  return findings
}

/** The store also has the counts and the bans, so losing Redis loses little. */
function judgePersistence(name: string, { isPersistent, hasSavingFailed }: RedisServer): Finding {
  if (hasSavingFailed) return warn(`${name} failed to save to disk last time, and may refuse writes; see its log.`)
  if (isPersistent) return ok(`${name} saves to its disk: its data survives a restart.`)
  const words = isPersistent === undefined ? 'does not report whether it saves to disk' : 'saves nothing to disk'
  return ok(`${name} ${words}: a restart loses the strikes towards bans; counts and bans are restored from the store.`)
}
