import { createAccount } from '../../src/domain/administration/accounts.ts'
import { labelCategory } from '../../src/domain/administration/categories.ts'
import { createClaimLink } from '../../src/domain/administration/claim-links.ts'
import type { AdminContext } from '../../src/domain/administration/context.ts'
import { issueKey } from '../../src/domain/administration/keys.ts'
import { addPet, correctPet, findPet } from '../../src/domain/administration/pets.ts'
import { createToken } from '../../src/domain/administration/tokens.ts'
import { PET_STATUSES, type PetStatus } from '../../src/domain/pet.ts'
import type { Plan } from '../../src/domain/plan.ts'
import { DAY_MS, HOUR_MS } from '../../src/domain/time.ts'
import { NO_CALLS } from '../../src/domain/usage.ts'
import { connect } from '../../src/sqlite/connection.ts'
import { databaseFile } from '../../src/sqlite/data-folder/store-files.ts'
import { SqliteStore } from '../../src/sqlite/store.ts'

/** The store of a shelter, for pictures: a month of calls, a ban, a key that expires soon. All names are made up. */

const LABELS = ['Dogs', 'Cats', 'Rabbits', 'Guinea pigs', 'Birds', 'Tortoises', 'Horses', 'Ferrets'] as const
const NAMES = [
  ...['Rex', 'Bella', 'Luna', 'Milo', 'Nala', 'Oskar', 'Zoë', 'Balu', 'Frida', 'Søren', 'Hazel', 'Coco', 'Émile'],
  ...['Pip', 'Maja', 'Bruno', 'Tinka', 'Loki', 'Kiwi', 'Paula', 'Sammy', 'Greta', 'Simba', 'Žofka', 'Momo', 'Ella'],
  ...['Biscuit', 'Leo', 'Amy', 'Karlo', 'Fips', 'Ronja', 'Wanda', 'Toby', 'Lilly', 'Jack', 'Nero', 'Mimi', 'Olaf'],
] as const
const ANIMALS = 1_248

const ACCOUNTS: readonly { name: string; plan: Plan; keys: readonly string[]; share: number }[] = [
  { name: 'City Adoption Portal', plan: 'enterprise', keys: ['Website', 'Mobile app'], share: 46 },
  { name: 'Corner Shop', plan: 'pro', keys: ['Website', 'Till'], share: 17 },
  { name: 'Paws & Co', plan: 'business', keys: ['Newsletter', 'Website'], share: 21 },
  { name: 'Tierfreunde Köln', plan: 'business', keys: ['Website'], share: 12 },
  { name: 'Happy Tails Blog', plan: 'free', keys: ['Widget'], share: 4 },
]
const USAGE_DAYS = 30
/** Calls in an hour of the day, in Europe, as parts of a thousand of the busiest one. */
const RHYTHM = [
  90, 60, 45, 40, 55, 110, 260, 480, 690, 780, 820, 850, 900, 860, 820, 840, 900, 960, 1000, 980, 830, 610, 380, 190,
]
const BUSIEST_HOUR = 2_600

/** @returns what the pictures need to know of it */
export async function createDemoStore(folder: string, now: number) {
  const store = await SqliteStore.open(folder, 'production')
  const as = (name: string, origin: string, ago: number): AdminContext => ({
    store,
    deployment: 'production',
    actor: { name, origin },
    now: now - ago,
  })
  const anna = (ago: number) => as('Anna', '192.0.2.17', ago)
  const sam = (ago: number) => as('Sam', '192.0.2.23', ago)
  const { token } = await createToken(anna(120 * DAY_MS), { name: 'Anna', role: 'admin' })
  const { token: staffToken } = await createToken(anna(110 * DAY_MS), { name: 'Sam', role: 'staff' })
  for (const [index, label] of LABELS.entries()) await labelCategory(sam(100 * DAY_MS), String(index + 1), label)
  insertAnimals(folder)

  const keys: { id: bigint; accountId: bigint; key: string; share: number }[] = []
  for (const { name, plan, keys: names, share } of ACCOUNTS) {
    const limits = plan === 'enterprise' ? { perMinute: 3_000, perDay: 500_000 } : {}
    const account = await createAccount(anna(90 * DAY_MS), { name, plan, limits })
    for (const key of names) {
      const isTill = key === 'Till'
      const issued = await issueKey(anna(80 * DAY_MS), {
        account: String(account.id),
        name: key,
        scope: isTill ? 'read-write' : 'read',
        ...(isTill && { networks: ['192.0.2.0/24'] }),
        ...(key === 'Newsletter' && { expiresAt: now + 6 * DAY_MS }),
      })
      keys.push({ id: issued.id, accountId: account.id, key: issued.key, share: share / names.length })
    }
  }
  await addUsage(store, keys, now)
  await work(anna, sam)
  await store.close()
  insertBan(folder, keys.at(-1)?.id ?? 1n, now)
  return { token, staffToken, keys }
}

/** What the operators did last. */
async function work(anna: (ago: number) => AdminContext, sam: (ago: number) => AdminContext): Promise<void> {
  const minute = 60_000
  const correct = async (id: number, change: { name?: string; status?: PetStatus }, ago: number) => {
    const context = sam(ago * minute)
    await correctPet(context, await findPet(context.store, String(id)), change)
  }
  await createClaimLink(anna(95 * minute), {
    account: 'Tierfreunde Köln',
    terms: { name: 'Mobile app', scope: 'read' },
    validForSeconds: 86_400,
  })
  await correct(1_245, { status: 'pending' }, 74)
  await correct(1_245, { name: 'Greta von Stein' }, 52)
  await correct(1_231, { status: 'sold' }, 41)
  await addPet(sam(26 * minute), { name: 'Pepper', categoryId: 3n, status: 'available' })
  await addPet(sam(24 * minute), { name: 'Clover', categoryId: 3n, status: 'available' })
  await correct(1_245, { status: 'available' }, 12)
  await correct(1_240, { status: 'pending' }, 4)
}

function insertAnimals(folder: string): void {
  const database = connect(databaseFile(folder))
  const insert = database.prepare(
    `INSERT INTO pet (name, category_id, status, checksum, search_name)
     VALUES (?1, ?2, ?3, pet_checksum(?1, ?2, ?3), fold(?1))`,
  )
  database.exec('BEGIN')
  const random = randomNumbers(7)
  for (let number = 1; number <= ANIMALS; number++) {
    const name = NAMES[Math.floor(random() * NAMES.length)] as string
    const category = 1 + Math.floor(random() ** 2 * LABELS.length)
    // Those that have been there for long have found a home.
    const status = PET_STATUSES[random() < 0.15 ? 1 : random() < 1 - number / ANIMALS ? 2 : 0] as PetStatus
    insert.run(name, category, status)
  }
  database.exec('COMMIT')
  database.close()
}

interface Caller {
  id: bigint
  accountId: bigint
  share: number
}

/** Few calls at night, fewer on weekends; on one evening, many. */
async function addUsage(store: SqliteStore, callers: readonly Caller[], now: number): Promise<void> {
  const random = randomNumbers(3)
  const thisHour = Math.floor(now / HOUR_MS)
  for (let hour = thisHour - USAGE_DAYS * 24; hour <= thisHour; hour++) {
    const time = new Date(hour * HOUR_MS)
    const isWeekend = time.getUTCDay() % 6 === 0
    const rhythm = (RHYTHM[(time.getUTCHours() + 1) % 24] ?? 0) / 1_000
    const isPeak = thisHour - hour > 24 * 9 && thisHour - hour < 24 * 9 + 5
    const all = BUSIEST_HOUR * rhythm * (isWeekend ? 0.7 : 1) * (isPeak ? 1.6 : 1)
    const part = hour === thisHour ? (now % HOUR_MS) / HOUR_MS : 1
    const usage = callers.flatMap(({ id, accountId, share }, index) =>
      (['listPets', 'createPet', 'getPet'] as const).map(operation => {
        // One program adds animals, and two still call the deprecated operation.
        const weight = { listPets: 0.9, createPet: index === 3 ? 0.1 : 0, getPet: [3, 6].includes(index) ? 0.2 : 0 }
        const calls = Math.round(all * part * (share / 100) * weight[operation] * (0.85 + random() * 0.3))
        const isNoisy = index === callers.length - 1 && random() < 0.3
        const status4xx = Math.round(calls * 0.015)
        const status3xx = operation === 'listPets' ? Math.round(calls * 0.2) : 0
        const counts = {
          admitted: calls,
          refused: isNoisy ? Math.round(calls * 0.9) : Math.round(calls * (isPeak ? 0.06 : 0.004)),
          banned: isNoisy ? Math.round(calls * 0.5) : 0,
          status2xx: calls - status3xx - status4xx,
          status3xx,
          status4xx,
        }
        return {
          hour,
          accountId,
          keyId: id,
          operation,
          ...NO_CALLS,
          ...counts,
          lastAt: Math.min(now, (hour + 1) * HOUR_MS) - 1,
          lastFrom: '203.0.113.7',
        }
      }),
    )
    await store.addUsage(usage.filter(({ admitted }) => admitted > 0))
  }
}

function insertBan(folder: string, keyId: bigint, now: number): void {
  const database = connect(databaseFile(folder))
  const insert = database.prepare('INSERT INTO ban (key_id, started_at, ends_at, ordinal) VALUES (?, ?, ?, 2)')
  insert.run(keyId, now - 9 * 60_000, now + 21 * 60_000)
  database.close()
}

/** The same numbers on every run. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
