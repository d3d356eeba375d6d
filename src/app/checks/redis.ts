import { formatBytes } from '../../domain/bytes.ts'
import { reasonOf } from '../../domain/system-error.ts'
import { cannotBeUsed } from '../../redis/connection.ts'
import { kindOf } from '../../redis/driver-options.ts'
import { inspectRedis, inspectSentinel, type RedisServer, type RedisState } from '../../redis/inspect.ts'
import { explainDenied } from '../../redis/scripts.ts'
import { tryScripts } from '../../redis/trial.ts'
import { compareClocks } from './clock.ts'
import { fail, ok, type Verdict, warn } from './verdict.ts'

const WARN_ABOVE_SHARE = 0.8

/** Checks each Redis server, and each Sentinel, and whether the service can count in them. */
export async function checkRedis(urls: readonly string[]): Promise<Verdict[]> {
  const kind = kindOf(urls)
  const checks =
    kind === 'sentinels'
      ? [checkServer(urls, false), ...urls.map(checkSentinel)]
      : urls.map(url => checkServer([url], kind === 'cluster'))
  const verdicts = (await Promise.all(checks)).flat()
  return verdicts.some(({ outcome }) => outcome === 'fail') ? verdicts : [...verdicts, await checkCounting(urls)]
}

/** @param urls one server, or the Sentinels that monitor it */
async function checkServer(urls: readonly string[], asCluster: boolean): Promise<Verdict[]> {
  const place = placesOf(urls)
  try {
    return judgeRedis(place, await inspectRedis(urls, asCluster), asCluster)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return [fail(cannotBeUsed(place, new Error(explainDenied(error))).message)]
  }
}

/** Runs the scripts that count calls. */
async function checkCounting(urls: readonly string[]): Promise<Verdict> {
  const place = placesOf(urls)
  try {
    await tryScripts(urls, place)
    return ok(`Calls can be counted in Redis at ${place}: its user may run every command that this takes.`)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return fail(error.message)
  }
}

async function checkSentinel(url: string): Promise<Verdict[]> {
  const place = placeOf(url)
  try {
    await inspectSentinel(url)
    return [ok(`The Sentinel at ${place} can fail over to a replica.`)]
  } catch (error) {
    return [warn(`The Sentinel at ${place} cannot fail over to a replica: ${reasonOf(error)}.`)]
  }
}

function placesOf(urls: readonly string[]): string {
  return urls.map(placeOf).join(', ')
}

/** Without user and password. */
function placeOf(url: string): string {
  return new URL(url).host
}

/** @param asCluster whether the settings say that it is a node of a cluster */
export function judgeRedis(place: string, { state, clockAheadMs }: RedisServer, asCluster: boolean): Verdict[] {
  const name = `${state?.product ?? 'Redis'} at ${place}`
  const clock = { check: 'clock', ...compareClocks(name, clockAheadMs) }
  if (!state) {
    const unchecked = 'its version, role, memory and persistence were not checked'
    return [warn(`${name} does not let its user run INFO, so ${unchecked}; grant +info.`), clock]
  }
  return [
    ok(`${state.product} ${state.version} responds at ${place}; ${describeMemory(state)}.`),
    ...findProblems(name, state, asCluster),
    judgePersistence(name, state),
    clock,
  ]
}

function describeMemory({ usedBytes, boundBytes }: RedisState): string {
  const used = `it uses ${formatBytes(usedBytes)}`
  return boundBytes === 0 ? `${used} of memory, without a limit` : `${used} of ${formatBytes(boundBytes)} of memory`
}

function* findProblems(name: string, state: RedisState, asCluster: boolean): Generator<Verdict> {
  const { isOfCluster, isReplica, usedBytes, boundBytes, evictionPolicy } = state
  if (isOfCluster && !asCluster) {
    yield fail(`${name} is a cluster node; list several nodes in PETSTORE_REDIS_URL, or add ?cluster=true.`)
  } else if (!isOfCluster && asCluster) {
    yield fail(`${name} is not a cluster node; list one server in PETSTORE_REDIS_URL, without ?cluster=true.`)
  } else if (state.isClusterWhole === false) {
    yield fail(`The cluster of ${name} is incomplete: some of its keys cannot be used (see CLUSTER INFO).`)
  } else if (isReplica && !isOfCluster) {
    yield fail(`${name} is a read-only replica; set PETSTORE_REDIS_URL to the primary.`)
  }
  if (state.refusesUnlessWhole) {
    const remedy = 'set cluster-require-full-coverage to no'
    yield warn(`${name} counts no calls while any primary of its cluster is missing; ${remedy}.`)
  }
  if (boundBytes > 0 && usedBytes > boundBytes * WARN_ABOVE_SHARE) {
    yield warn(`${name} is low on memory; raise maxmemory. If it runs out, each instance counts alone.`)
  }
  if (evictionPolicy !== 'noeviction') {
    yield warn(`${name} drops counts when memory is low (maxmemory-policy ${evictionPolicy}); set it to noeviction.`)
  }
}

/** The store also has the counts and the bans, so losing Redis loses little. */
function judgePersistence(name: string, { isPersistent, hasSavingFailed }: RedisState): Verdict {
  if (hasSavingFailed) return warn(`${name} failed to save to disk last time, and may refuse writes; see its log.`)
  if (isPersistent) return ok(`${name} saves to its disk: its data survives a restart.`)
  const words = isPersistent === undefined ? 'does not report whether it saves to disk' : 'saves nothing to disk'
  return ok(`${name} ${words}: a restart loses the strikes towards bans; counts and bans are restored from the store.`)
}
