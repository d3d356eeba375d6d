import type { Config } from '../app/config.ts'
import { openPetTransfer } from '../app/open-pet-transfer.ts'
import { openStore } from '../app/open-store.ts'
import { createAccount } from '../domain/administration/accounts.ts'
import { labelCategory } from '../domain/administration/categories.ts'
import type { AdminContext } from '../domain/administration/context.ts'
import { issueKey } from '../domain/administration/keys.ts'
import { createSource } from '../domain/administration/sources.ts'
import type { PetStatus } from '../domain/pet.ts'
import type { Plan } from '../domain/plan.ts'
import type { RefusedCall } from '../domain/refusals.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/time.ts'
import { DAY_HOURS, dayOf, type KeyUsage, NO_CALLS } from '../domain/usage.ts'
import { importAll } from '../pet-files/import-pets.ts'
import { DEMO_FEED, DEMO_LABELS, DEMO_PETS } from './demo-pets.ts'
import { DEMO_ACCOUNT, DEMO_ACTOR } from './demo-store.ts'

interface Partner {
  name: string
  plan: Plan
  keys: readonly string[]
  /** Per cent of all calls, divided among its keys. */
  share: number
}

const PARTNERS: readonly Partner[] = [
  { name: 'City Adoption Portal', plan: 'enterprise', keys: ['Website', 'Mobile app'], share: 52 },
  { name: 'Paws & Co', plan: 'business', keys: ['Website', 'Newsletter'], share: 26 },
  { name: 'Tierfreunde Köln', plan: 'business', keys: ['Website'], share: 20 },
  { name: 'Happy Tails Blog', plan: 'free', keys: ['Widget'], share: 2 },
]
const AGREED = { perMinute: 3_000, perDay: 500_000 }
const USAGE_DAYS = 14
const BUSIEST_HOUR = 2_600
/** Calls in each hour of a day in Europe, in thousandths of those in the busiest hour. */
const RHYTHM = [
  90, 60, 45, 40, 55, 110, 260, 480, 690, 780, 820, 850, 900, 860, 820, 840, 900, 960, 1000, 980, 830, 610, 380, 190,
]
const BAN_AGE_MS = 9 * MINUTE_MS
/** A documentation address, as of RFC 5737. */
const SOURCE = '203.0.113.7'
const STATUS_WORDS: Record<PetStatus, string> = { available: 'A', pending: 'P', sold: 'X' }

/**
 * Fills an empty store with what an operator wants to see: labels and animals, some of them from a feed, partners with keys, two weeks of their calls,
 * and a ban.
 */
export async function fillDemo(config: Config, now: number): Promise<void> {
  const store = await openStore(config)
  try {
    const { deployment } = config
    const context: AdminContext = { store, deployment, actor: DEMO_ACTOR, now: now - (USAGE_DAYS + 1) * DAY_MS }
    // First, because it marks the store.
    await createAccount(context, { name: DEMO_ACCOUNT, plan: 'business', limits: {} })
    for (const [index, label] of DEMO_LABELS.entries()) await labelCategory(context, String(index + 1), label)
    const ownPets = DEMO_PETS.slice(0, -DEMO_FEED.pets.length)
    await Promise.all(ownPets.map(pet => store.createPet(pet, context.now)))
    await createSource(context, DEMO_FEED.source, { pauseSeconds: (7 * DAY_MS) / 1_000 })
    const keys = await createPartners(context, now)
    await store.addUsage(usageOf(keys, now))
    await store.addRefusals(refusalsOf(keys, now))
    const resetsAt = (dayOf(now) + 1) * DAY_MS
    const accounts = await store.listAccounts({ at: now })
    await store.saveCounts(
      accounts.map(({ id, usageToday: { admitted: used } }) => ({
        accountId: id,
        counts: { day: { used, resetsAt } },
      })),
    )
    const banned = keys.at(-1)
    if (banned) {
      // As long as a ban can be, so that it is still there tomorrow.
      const startedAt = now - BAN_AGE_MS
      const term = { source: SOURCE, earnedIn: 'minute', startedAt, endsAt: startedAt + DAY_MS, ordinal: 8 } as const
      await store.createBan(banned.id, term)
    }
  } finally {
    await store.close()
  }
  await sendFeed(config, now - 5 * HOUR_MS)
}

interface Caller {
  id: bigint
  accountId: bigint
  /** Of all calls. */
  share: number
}

async function createPartners(context: AdminContext, now: number): Promise<Caller[]> {
  const callers: Caller[] = []
  for (const { name, plan, keys, share } of PARTNERS) {
    const account = await createAccount(context, { name, plan, limits: plan === 'enterprise' ? AGREED : {} })
    for (const key of keys) {
      const { id } = await issueKey(context, {
        account: String(account.id),
        name: key,
        scope: 'read',
        ...(key === 'Newsletter' && { expiresAt: now + 6 * DAY_MS }),
      })
      callers.push({ id, accountId: account.id, share: share / 100 / keys.length })
    }
  }
  return callers
}

/** Few calls at night, and fewer on weekends. The last caller, which is banned, ignores its limits. */
function usageOf(callers: readonly Caller[], now: number): KeyUsage[] {
  const thisHour = Math.floor(now / HOUR_MS)
  return Array.from({ length: USAGE_DAYS * DAY_HOURS + 1 }, (_, ago) => thisHour - ago).flatMap(hour => {
    const time = new Date(hour * HOUR_MS)
    const rhythm = (RHYTHM[(time.getUTCHours() + 1) % DAY_HOURS] ?? 0) / 1_000
    const isWeekend = time.getUTCDay() % 6 === 0
    const part = hour === thisHour ? (now % HOUR_MS) / HOUR_MS : 1
    return callers.flatMap(({ id, accountId, share }, index) => {
      const swing = 0.85 + (0.3 * ((hour * 7 + index * 11) % 13)) / 13
      const admitted = Math.round(BUSIEST_HOUR * rhythm * share * part * swing * (isWeekend ? 0.7 : 1))
      if (admitted === 0) return []
      const [status3xx, status4xx] = [Math.round(admitted * 0.2), Math.round(admitted * 0.015)]
      const isNoisy = index === callers.length - 1 && hour % 3 === 0
      return {
        ...{ ...NO_CALLS, hour, accountId, keyId: id },
        // The newsletter still calls the deprecated operation.
        operation: index === 3 ? 'getPet' : 'listPets',
        ...{ admitted, status2xx: admitted - status3xx - status4xx, status3xx, status4xx },
        refused: isNoisy ? admitted : 0,
        banned: isNoisy ? Math.round(admitted / 2) : 0,
        lastAt: Math.min(now, (hour + 1) * HOUR_MS) - 1,
        lastFrom: SOURCE,
      }
    })
  })
}

/** The last calls that were answered with an error: a few wrong ones of each caller, and those of the one that is banned. */
function refusalsOf(callers: readonly Caller[], now: number): RefusedCall[] {
  return callers.flatMap(({ id }, index) => {
    const isNoisy = index === callers.length - 1
    return Array.from({ length: isNoisy ? 20 : 3 }, (_, ago) => {
      const calledAt = now - (ago + 1) * (isNoisy ? MINUTE_MS : 5 * HOUR_MS)
      const call = { keyId: id, calledAt, sequence: index, method: 'GET', calledFrom: SOURCE, userAgent: 'adopt/2.1' }
      if (!isNoisy) return { ...call, path: '/v1/pets?limit=500', status: 400, code: 'invalid_parameter' }
      const code = calledAt < now - BAN_AGE_MS ? 'rate_limit_exceeded' : 'api_key_banned'
      return { ...call, path: '/v1/pets?limit=100', status: 429, code }
    })
  })
}

/** Sends the file of the feed, as a shelter's software would. */
async function sendFeed(config: Config, at: number): Promise<void> {
  const { source, pets } = DEMO_FEED
  const label = DEMO_LABELS.at(-1)
  const rows = pets.map(({ name, status }, index) => `R${index + 101},${name},${label},${STATUS_WORDS[status]}`)
  const file = Buffer.from(['ID,AnimalName,Type,Status', ...rows, ''].join('\n'))
  await importAll(await openPetTransfer(config), {
    ...{ format: 'csv', mode: 'add', sync: { source, mayCreate: false }, dryRun: false, skipBad: false },
    ...{ csv: {}, name: `${source}.csv`, actor: DEMO_ACTOR, clock: () => at, bytes: file.length },
    async *open() {
      yield file
    },
    onProgress() {},
  })
}
