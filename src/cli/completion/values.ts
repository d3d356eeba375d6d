import { Argument, type Command, type Option } from 'commander'
import { loadConfig } from '../../app/config.ts'
import type { Account } from '../../domain/account.ts'
import { listBans } from '../../domain/administration/bans.ts'
import { USAGE_GROUPS } from '../../domain/administration/sum-usage.ts'
import type { ApiKey } from '../../domain/api-key.ts'
import { formatCount } from '../../domain/format-number.ts'
import { PEOPLE } from '../../domain/operator.ts'
import { PET_STATUSES } from '../../domain/pet.ts'
import { PLANS } from '../../domain/plan.ts'
import { secretState } from '../../domain/secret.ts'
import type { CategoryUse } from '../../domain/store/animals.ts'
import type { Store } from '../../domain/store.ts'

export interface Candidate {
  value: string
  description: string
  /** An alternative to a value that would be read as an option. */
  id?: string
}

/** A longer list would be of no use. */
const MAX_CANDIDATES = 500

export async function valuesOf(target: Option | Argument, command: Command): Promise<readonly Candidate[] | 'files'> {
  if (target.argChoices) return plain(target.argChoices)
  const name = target instanceof Argument ? target.name() : (/[<[]([\w-]+)/.exec(target.flags)?.[1] ?? '')
  if (name === 'file') return 'files'
  const fixed = FIXED[name]
  if (fixed) return plain(fixed)
  const find = IN_STORE[`${command.parent?.name()} ${command.name()} ${name}`] ?? IN_STORE[name]
  return find ? lookUp(find) : []
}

/** By the placeholder in the help. */
const FIXED: Readonly<Record<string, readonly string[]>> = {
  plan: PLANS,
  role: PEOPLE,
  what: USAGE_GROUPS,
  statuses: PET_STATUSES,
}

type Find = (store: Store, now: number) => Promise<Candidate[]>

/** Values from the store, by the placeholder in the help. A key that also names the command takes precedence. */
const IN_STORE: Readonly<Record<string, Find>> = {
  source: async store =>
    (await store.listSources({})).map(({ name, missing }) => ({ value: name, description: missing })),
  account: async (store, now) => (await store.listAccounts({ ...FIRST, at: now })).map(describeAccount),
  'account suspend account': async (store, now) =>
    (await store.listAccounts({ ...FIRST, at: now, state: 'active' })).map(describeAccount),
  'account resume account': async (store, now) =>
    (await store.listAccounts({ ...FIRST, at: now, state: 'suspended' })).map(describeAccount),
  'key-id': async (store, now) =>
    (await store.listKeys({ ...FIRST, state: { is: 'active', at: now } })).map(describeKey),
  'ban lift key-id': async (store, now) => (await bansInForce(store, now)).map(({ key }) => describeKey(key)),
  'ban lift source': async (store, now) =>
    (await bansInForce(store, now)).flatMap(({ ban: { source }, key }) =>
      source ? { ...describeKey(key), value: source } : [],
    ),
  'link-id': async (store, now) => {
    const links = await store.listClaimLinks({ ...FIRST, state: { is: 'open', at: now } })
    return links.map(({ id, accountName, terms: { name } }) => ({
      value: String(id),
      description: name === undefined ? accountName : `${accountName}, ${name}`,
    }))
  },
  'entry-id': async store =>
    (await store.listAudit({ ...FIRST, action: 'pet' })).map(({ id, action, actor }) => ({
      value: String(id),
      description: `${action} by ${actor}`,
    })),
  'category unlabel category-id': async store =>
    (await store.listCategories({ ...FIRST, label: '' })).map(describeCategory),
  'category-id': async store => (await store.listCategories(FIRST)).map(describeCategory),
  'token-id': async (store, now) => {
    const usable = (await store.listTokens()).filter(token => secretState(token, now) === 'active')
    return usable.map(({ id, name, role }) => ({ value: String(id), description: `${name}, ${role}` }))
  },
}

const FIRST = { limit: MAX_CANDIDATES }

const bansInForce = (store: Store, now: number) => listBans(store, { ...FIRST, inForceAt: now })

function describeAccount({ id, name, plan }: Account): Candidate {
  return { value: name, description: `account ${id}, ${plan}`, id: String(id) }
}

function describeCategory({ id, label, animals }: CategoryUse): Candidate {
  return { value: String(id), description: label ?? formatCount(animals, 'animal') }
}

function describeKey({ id, accountName, name, hint }: ApiKey): Candidate {
  return { value: String(id), description: `${accountName}${name === undefined ? '' : `, ${name}`}, ends in ${hint}` }
}

/** Only reads: a store is neither created nor upgraded. */
async function lookUp(find: Find): Promise<Candidate[]> {
  const { openCurrentStore } = await import('../../app/open-store.ts')
  const store = await openCurrentStore(loadConfig())
  try {
    return store ? await find(store, Date.now()) : []
  } finally {
    await store?.close()
  }
}

function plain(values: readonly string[]): Candidate[] {
  return values.map(value => ({ value, description: '' }))
}
