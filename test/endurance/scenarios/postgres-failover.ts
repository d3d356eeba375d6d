import { setTimeout as sleep } from 'node:timers/promises'
import { issueKey } from '../../../src/domain/administration/keys.ts'
import { startServe } from '../../support/command-line.ts'
import { NotPossible } from '../../support/servers/needs.ts'
import { type Member, type PatroniCluster, startPatroni } from '../../support/servers/patroni.ts'
import { noPostgres, query } from '../../support/servers/postgres.ts'
import { noRedis, startRedis } from '../../support/servers/redis.ts'
import type { Place } from '../../support/servers/separate-networks.ts'
import { Creators } from '../creators.ts'
import type { Scenario, Stage } from '../scenario.ts'
import { ServiceUnderTest } from '../service-under-test.ts'

/** The ends of the line between this machine and the second instance (RFC 5737). */
const HERE = '203.0.113.1'
const THERE = '203.0.113.2'
const CREATORS = 16
const BEFORE = 200
/** After a fault, creations must continue within `ttl` of deploy/patroni/patroni.yml and ten seconds. */
const CONTINUE_MS = 30_000
/** How long a former leader stays paused or cut off, and etcd away. */
const FAULT_MS = 30_000
/** How long a revoked key is tried after the answer, at least. */
const REVOKED_MS = 4_000
const LOOK_EVERY_MS = 10
const USE_EVERY_MS = 50

interface Fault {
  name: string
  begin(leader: Member, cluster: PatroniCluster, other: Place): Promise<void> | void
  end(leader: Member, cluster: PatroniCluster, other: Place): Promise<void> | void
  /** The time between both. */
  lastsMs: number
}

const FAULTS: readonly Fault[] = [
  {
    name: 'leader killed',
    begin: leader => leader.signal('SIGKILL'),
    end: leader => leader.start(),
    lastsMs: FAULT_MS,
  },
  {
    name: 'leader paused and resumed',
    begin: leader => leader.signal('SIGSTOP'),
    end: leader => leader.signal('SIGCONT'),
    lastsMs: FAULT_MS,
  },
  {
    name: 'leader cut off',
    begin: (leader, { networks }) => networks.part(leader),
    end: (leader, { networks }) => networks.join(leader),
    lastsMs: FAULT_MS,
  },
  {
    name: 'leader cut off together with an instance',
    begin: (leader, { networks }, other) => networks.part(leader, other),
    end: (leader, { networks }, other) => networks.join(leader, other),
    lastsMs: FAULT_MS,
  },
  {
    name: 'an instance cut off',
    begin: (_, { networks }, other) => networks.part(other),
    end: (_, { networks }, other) => networks.join(other),
    lastsMs: FAULT_MS,
  },
  { name: 'switchover', begin: (_, cluster) => cluster.switchOver(), end() {}, lastsMs: 5_000 },
  {
    name: 'etcd gone',
    begin: (_, cluster) => cluster.killEtcd(),
    end: (_, cluster) => cluster.startEtcd(),
    lastsMs: FAULT_MS,
  },
]

export const postgresFailover: Scenario = {
  name: 'postgres-failover',
  explanation:
    'with Patroni (`deploy/patroni/`), the leader is killed, paused or cut off, or etcd is away; no revoked key may ' +
    'work',
  maxSeconds: 1_800,
  async run(stage) {
    const missing = noPostgres ?? noRedis
    if (missing) throw new NotPossible(missing)
    const { t, tally, isQuick } = stage
    const cluster = await startPatroni(t)
    const neighbour = cluster.addNeighbour('app')
    neighbour.place.addLine(HERE, THERE)
    const redis = await startRedis(['--bind', '127.0.0.1', HERE, '--protected-mode', 'no'])
    t.after(() => redis.close())
    const settings = {
      PETSTORE_DATABASE_URL: cluster.url,
      PETSTORE_REDIS_URL: `redis://${HERE}:${redis.port}`,
      // The calls with a revoked key must not be refused for another reason.
      PETSTORE_ANONYMOUS_PER_MINUTE: '1000000',
      PETSTORE_BAN_AFTER: '1000',
      PETSTORE_BAN_WITHIN: '1',
    }
    const service = await ServiceUnderTest.prepare(stage, { settings })
    await service.start()
    await startServe(
      t,
      {
        PETSTORE_DATABASE_URL: neighbour.url,
        PETSTORE_HOST: THERE,
        PETSTORE_PORT: '8080',
        PETSTORE_OPERATOR_PORT: '8081',
        PETSTORE_PRODUCTION_URL: `http://${THERE}:8080/v1`,
      },
      { store: service.store, program: stage.program, under: neighbour.place.prefix },
    )
    const instances = [`http://127.0.0.1:${service.port}`, `http://${THERE}:8080`]
    const creators = new Creators(service, tally, { count: CREATORS })
    creators.start()
    for (const fault of FAULTS.slice(0, isQuick ? 1 : undefined)) {
      const seconds = await suffer(stage, { fault, cluster, service, creators, instances, other: neighbour.place })
      tally.note(`${fault.name}: ${seconds.toFixed(1)} s without a creation`)
    }
    await creators.settle()
    await expectRows(stage, cluster, creators, 'in the end')
    await creators.compare()
    tally.expect((await service.stop()) === 0, 'the service does not shut down gracefully')
  },
}

interface Round {
  fault: Fault
  cluster: PatroniCluster
  service: ServiceUnderTest
  creators: Creators
  /** The base URLs of both. */
  instances: readonly string[]
  /** Where the second instance runs. */
  other: Place
}

/** Returns the longest time without an acknowledged creation, in seconds. */
async function suffer({ tally }: Stage, round: Round): Promise<number> {
  const { fault, cluster, service, creators, instances, other } = round
  const leader = await cluster.whole()
  tally.expect(await creators.succeed(BEFORE, CONTINUE_MS), `${fault.name}: creations do not succeed before`)
  const { id, key } = await service.store.act(async context => {
    const { id, key } = await issueKey(context, { account: 'endurance' })
    return { id: String(id), key }
  })
  for (const url of instances) tally.expect((await statusOf(url, key)) === 200, `${fault.name}: a new key is refused`)

  let isOver = false
  const gap = longestGap(creators, () => isOver)
  const uses = instances.map(url => useOften(url, key, () => isOver))
  await fault.begin(leader, cluster, other)
  const revoked = revoke(service, id, () => isOver)
  await sleep(fault.lastsMs)
  await fault.end(leader, cluster, other)
  tally.expect(await creators.succeed(BEFORE, CONTINUE_MS), `${fault.name}: creations do not continue`)
  await cluster.whole()
  tally.expect(await creators.succeed(BEFORE, CONTINUE_MS), `${fault.name}: creations do not continue when all is well`)
  await expectRows({ tally }, cluster, creators, fault.name)
  const revokedAt = await Promise.race([revoked, sleep(CONTINUE_MS, undefined)])
  tally.expect(revokedAt !== undefined, `${fault.name}: the key cannot be revoked`)
  await sleep(REVOKED_MS)
  isOver = true
  for (const calls of await Promise.all(uses)) {
    const late = calls.filter(({ startedAt }) => startedAt > (revokedAt ?? Number.POSITIVE_INFINITY))
    const accepted = late.filter(({ status }) => status === 200).length
    tally.expect(accepted === 0, `${fault.name}: ${accepted} calls with a revoked key were accepted after the answer`)
    tally.expect(late.at(-1)?.status === 401, `${fault.name}: a revoked key is not refused with 401 in the end`)
  }
  return (await gap) / 1_000
}

/** Looks for acknowledged animals in the database itself: a list that ends early is another fault than an animal that is gone. */
async function expectRows(
  { tally }: Pick<Stage, 'tally'>,
  cluster: PatroniCluster,
  creators: Creators,
  when: string,
): Promise<void> {
  const { acknowledged } = creators
  const [row] = await query(cluster.url, 'SELECT count(*)::int AS rows FROM pet')
  const rows = row?.rows as number
  tally.expect(rows >= acknowledged, `${when}: ${acknowledged} animals are acknowledged, and ${rows} in the database`)
}

interface Use {
  startedAt: number
  status: number | undefined
}

/** Calls with a key again and again, so that the instance knows it. */
async function useOften(url: string, key: string, isOver: () => boolean): Promise<Use[]> {
  const calls: Use[] = []
  while (!isOver()) {
    const startedAt = performance.now()
    calls.push({ startedAt, status: await statusOf(url, key) })
    await sleep(USE_EVERY_MS)
  }
  return calls
}

/** Tries until the revocation is acknowledged. Returns when it was, by `performance.now()`. */
async function revoke(service: ServiceUnderTest, id: string, isOver: () => boolean): Promise<number | undefined> {
  while (!isOver()) {
    const { code, stderr } = await service.command('key', 'revoke', id)
    if (code === 0 || stderr.includes('already revoked')) return performance.now()
  }
  return undefined
}

async function longestGap(creators: Creators, isOver: () => boolean): Promise<number> {
  let longest = 0
  let last = performance.now()
  for (let seen = creators.acknowledged; !isOver(); ) {
    await sleep(LOOK_EVERY_MS)
    const now = performance.now()
    longest = Math.max(longest, now - last)
    if (creators.acknowledged > seen) {
      seen = creators.acknowledged
      last = now
    }
  }
  return longest
}

async function statusOf(url: string, key: string): Promise<number | undefined> {
  const answer = await fetch(`${url}/v1/pets?limit=1`, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(5_000),
  }).catch(() => undefined)
  await answer?.arrayBuffer()
  return answer?.status
}
