import type { IdempotentRequest } from '../../src/domain/idempotency.ts'
import type { NewPet } from '../../src/domain/pet.ts'
import type { Creation } from '../../src/domain/store/animals.ts'
import { SqliteStore } from '../../src/sqlite/store.ts'

/** A service that must fail the run: it acknowledges every third animal without storing it, and stores every fifth twice. */

type Create = (this: SqliteStore, pet: NewPet, now: number, request?: IdempotentRequest) => Promise<Creation>

const faulty = SqliteStore.prototype as unknown as { create: Create }
const { create } = faulty
let made = 0

faulty.create = async function (pet, now, request) {
  made += 1
  if (made % 3 === 0) return { outcome: 'created', pet: { ...pet, id: BigInt(1_000_000_000 + made) } }
  if (made % 5 === 0) await create.call(this, pet, now)
  return create.call(this, pet, now, request)
}

await import(new URL('../../bin/main.js', import.meta.url).href)
