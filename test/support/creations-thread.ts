import assert from 'node:assert/strict'
import { parentPort, workerData } from 'node:worker_threads'
import type { Hooks } from '../../client/src/index.ts'
import type { Store } from '../../src/domain/store.ts'
import { clientOn, fastClock, runWith } from './client.ts'
import { FAULTS, sometimes } from './faults.ts'
import { startFaultyProxy } from './faulty-proxy.ts'
import { seededRandom } from './random.ts'
import { startTestService } from './service.ts'

/** The input of the thread, and its final report. */
export interface CreationsPlan {
  creations: number
  callers: number
  perMinute: number
  /** How many times as fast the clock of the service and of the client runs. */
  speed: number
  faultShare: number
  seed: number
}

export interface CreationsResult {
  /** By name, as the creations reported and as the store has them. */
  created: Map<string, bigint>
  stored: Map<string, bigint>
  bans: number
  requests: number
  /** As the client's hooks saw them. */
  watched: { requests: number; responses: number; failures: number; waits: number }
  /** By the service itself. */
  refused: number
  minutes: number
  /** How often each of the faults was met. */
  faults: number[]
}

const plan: CreationsPlan = workerData
await using ending = new AsyncDisposableStack()
parentPort?.postMessage(await carryOut())

async function carryOut(): Promise<CreationsResult> {
  const cleanup = { after: (fn: () => Promise<void>) => ending.defer(fn) }
  const service = await startTestService(cleanup, { config: { logLevel: 'error' } })
  const clock = fastClock(plan.speed)
  runWith(service, clock)
  const { key } = await service.createCaller({ limits: { perMinute: plan.perMinute } })
  const random = seededRandom(plan.seed)
  const choose = sometimes(plan.faultShare, FAULTS, random)
  const proxy = await startFaultyProxy(cleanup, service.url, { choose, now: () => clock.now() })
  const watched = { requests: 0, responses: 0, failures: 0, waits: 0 }
  const hooks: Hooks = {
    onRequest() {
      watched.requests += 1
    },
    onResponse({ error }) {
      if (error) watched.failures += 1
      else watched.responses += 1
    },
    onWait() {
      watched.waits += 1
    },
  }
  const { pets } = clientOn(clock, proxy.url, key, { random, hooks })

  const startedAt = clock.now()
  const names = Array.from({ length: plan.creations }, (_, index) => `animal ${index + 1}`).values()
  const created = new Map<string, bigint>()
  const callers = Array.from({ length: plan.callers }, async () => {
    for (const name of names) created.set(name, (await pets.create({ name, categoryId: 7 })).id)
  })
  await Promise.all(callers)

  const { requests } = proxy
  return {
    created,
    stored: await storedPets(service.store),
    bans: (await service.store.listBans()).length,
    requests: requests.length,
    watched,
    refused: requests.filter(({ status, fault }) => status === 429 && fault?.kind !== 'answer').length,
    minutes: (clock.now() - startedAt) / 60_000,
    faults: FAULTS.map(fault => requests.filter(request => request.fault === fault).length),
  }
}

async function storedPets(store: Store): Promise<Map<string, bigint>> {
  const { pets } = await store.listPets({ status: undefined, afterId: 0n, limit: plan.creations + 1 })
  const ids = new Map(pets.map(({ name, id }) => [name, id]))
  assert.equal(ids.size, pets.length, 'each name once')
  return ids
}
