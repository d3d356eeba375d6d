import assert from 'node:assert/strict'
import { eventually } from '../../../test/support/eventually.ts'
import type { Account } from '../account.ts'
import type { AuditAction, AuditEntry, AuditQuery, NewAuditEntry } from '../audit.ts'
import type { IdempotentRequest } from '../idempotency.ts'
import { type NewPet, PET_STATUSES, type Pet } from '../pet.ts'
import { hashSecret } from '../secret.ts'
import type { AccountQuery, NewKey } from '../store/accounts.ts'
import type { Creation, PetQuery } from '../store/animals.ts'
import type { NewToken } from '../store/operators.ts'
import type { Store } from '../store.ts'

/** Registers one rule, with a check that starts from an empty store. */
export type Rule = (sentence: string, check: (store: Store, reopen: () => Promise<Store>) => Promise<void>) => void

/** In the past, because a time ahead of every clock may be rejected. */
export const NOW = Date.UTC(2025, 2, 1, 12, 0, 0, 250)
export const LIMITS = { perMinute: 60, perDay: 1_000 }
export const firstPage: PetQuery = { status: undefined, afterId: 0n, limit: 1_000 }

/** Without their calls. */
export async function listAccounts(store: Store, query: Partial<AccountQuery> = {}): Promise<Account[]> {
  const found = await store.listAccounts({ at: NOW, ...query })
  return found.map(({ usageToday: _, bannedKeys: __, ...account }) => account)
}

/** A store before and after a restart. */
export async function* nowAndAfterwards(store: Store, reopen: () => Promise<Store>): AsyncGenerator<Store> {
  yield store
  yield await reopen()
}

export function newPet(members: Partial<NewPet> = {}): NewPet {
  return { name: 'Rex', categoryId: 7n, status: 'available', ...members }
}

export async function create(store: Store, pet: NewPet): Promise<Pet> {
  return petOf(await store.createPet(pet, NOW))
}

/** An animal that an operator has just deleted, and the entry of its deletion. */
export async function newDeletion(store: Store): Promise<{ pet: Pet; entryId: bigint }> {
  const pet = await create(store, newPet())
  await store.deletePet(pet, entry('pet.delete'))
  const [deletion] = await audit(store, { limit: 1 })
  return { pet, entryId: deletion?.id as bigint }
}

/** Creates many at the same time; returns them in the given order, whatever the order of their ids. */
export function createAll(store: Store, pets: readonly NewPet[]): Promise<Pet[]> {
  return inParts(pets, pet => create(store, pet))
}

/** Carries out many writes, a part of them at once. */
export async function inParts<Item, Result>(
  items: readonly Item[],
  write: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (const part of partsOf(items)) results.push(...(await Promise.all(part.map(write))))
  return results
}

/** Parts that even a busy machine writes within the time limit of a call. A service saves no more usage at once, either. */
export function partsOf<Item>(items: readonly Item[], size = 1_000): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, part) =>
    items.slice(part * size, (part + 1) * size),
  )
}

/** This many animals, with the statuses in rotation. */
export function mixed(count: number): NewPet[] {
  return Array.from({ length: count }, (_, index) => newPet({ status: PET_STATUSES[index % 3] ?? 'sold' }))
}

export function petOf(creation: Creation): Pet {
  assert.ok('pet' in creation, creation.outcome)
  return creation.pet
}

/** An entry for this action, at NOW by default. */
export function entry(action: AuditAction, more: Partial<NewAuditEntry> = {}): NewAuditEntry {
  const unknown = { tokenId: undefined, accountId: undefined, before: undefined, after: undefined }
  return { at: NOW, actor: 'ada', origin: '192.0.2.7', action, details: {}, ...unknown, ...more }
}

/** The entries as they were written, without the names of today. */
export async function audit(store: Store, query: Partial<AuditQuery> = {}): Promise<AuditEntry[]> {
  const listed = await store.listAudit({ limit: 1_000, ...query })
  return listed.map(({ subjectName: _, accountName: __, pet: ___, ...entry }) => entry)
}

export function createAccount(store: Store, name: string) {
  return store.createAccount({ name, plan: 'free', limits: LIMITS }, entry('account.create'))
}

let made = 0

/** A creation request of a new account. */
export async function createRequest(
  store: Store,
  key: string,
  fingerprint = 'of the body',
): Promise<IdempotentRequest> {
  made += 1
  const { id } = await createAccount(store, `account ${made}`)
  return { accountId: id, key, fingerprint }
}

export async function createKey(store: Store, accountId: bigint, more: Partial<NewKey> = {}) {
  const key = newKey(accountId, more)
  return { hash: key.hash, key: await store.createKey(key, entry('key.issue')) }
}

export function newKey(accountId: bigint, more: Partial<NewKey> = {}): NewKey {
  made += 1
  const terms = { name: undefined, scope: 'read-write', networks: undefined, expiresAt: undefined } as const
  return { accountId, hash: hashSecret(`key ${made}`), hint: 'hint', ...terms, ...more }
}

export async function createToken(store: Store, more: Partial<NewToken> = {}) {
  const token = newToken(more)
  return { hash: token.hash, token: await store.createToken(token, entry('token.create')) }
}

export function newToken(more: Partial<NewToken> = {}): NewToken {
  made += 1
  const hash = hashSecret(`token ${made}`)
  return { hash, hint: 'hint', name: 'ada', role: 'admin', expiresAt: undefined, ...more }
}

/** New animals are counted and indexed once no other one can become visible before them. */
export async function untilSettled(store: Store): Promise<void> {
  const [newest] = (await store.searchPets({ order: 'newest', limit: 1 })).pets
  await eventually(() => assert.ok(store.settledPetId() >= (newest?.id ?? 0n)))
}

export function byId(one: { id: bigint }, other: { id: bigint }): number {
  return one.id < other.id ? -1 : 1
}

/** Rows of the audit log from versions before tokens had their own column, as `at, actor, origin, action, details`. */
export const OLD_ENTRIES = `(1, 'Anna (token 12)', '192.0.2.7', 'pet.create', '{}'),
  (2, 'Bo (token 3) (token 4)', '192.0.2.7', 'pet.create', '{}'), (3, 'Bo (token 5)', 'command line', 'pet.create', '{}'),
  (4, 'nobody', '192.0.2.7', 'sign-in.refused', '{}')`
/** Their tokens, newest first. */
export const OLD_TOKENS = [undefined, undefined, 4n, 12n]
