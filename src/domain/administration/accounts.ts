import { type Account, parseAccountName } from '../account.ts'
import { Mistake } from '../errors.ts'
import { parseInt64 } from '../int64.ts'
import { describePlan, type Limits, limitsOf, parsePlan } from '../plan.ts'
import type { Store } from '../store.ts'
import { type Acting, entryOf } from './acting.ts'

/** A plan as an operator chooses it; see `limitsOf`. */
export interface PlanWish {
  plan: string
  limits: Partial<Limits>
}

export async function createAccount(
  acting: Acting,
  { name: wished, plan: wishedPlan, limits: own }: PlanWish & { name: string },
): Promise<Account> {
  const name = parseAccountName(wished)
  const plan = parsePlan(wishedPlan)
  const limits = limitsOf(plan, own)
  const entry = entryOf(acting, 'account.create', { name, plan: describePlan(plan, limits) })
  return acting.store.createAccount({ name, plan, limits }, entry)
}

export async function renameAccount(
  acting: Acting,
  { account, name: wished }: { account: string; name: string },
): Promise<Account> {
  const { id } = await findAccount(acting.store, account)
  const name = parseAccountName(wished)
  if (!(await acting.store.renameAccount(id, name, entryOf(acting, 'account.rename', { name }, id)))) gone(account)
  return findAccount(acting.store, String(id))
}

/** Changes an account's plan. What it has used stays used. */
export async function setPlan(
  acting: Acting,
  { account, plan: wished, limits: own }: PlanWish & { account: string },
): Promise<Account> {
  const { id } = await findAccount(acting.store, account)
  const plan = parsePlan(wished)
  const limits = limitsOf(plan, own)
  const entry = entryOf(acting, 'account.set-plan', { plan: describePlan(plan, limits) }, id)
  if (!(await acting.store.setPlan(id, plan, limits, entry))) gone(account)
  return findAccount(acting.store, String(id))
}

/** Lets none of the account's keys in, from their next call on, until it is resumed. */
export async function suspendAccount(acting: Acting, account: string): Promise<Account> {
  const { id, name } = await findAccount(acting.store, account)
  const entry = entryOf(acting, 'account.suspend', {}, id)
  if (!(await acting.store.setSuspended(id, acting.now, entry))) {
    throw new Mistake('conflict', `Account "${name}" is suspended already.`)
  }
  return findAccount(acting.store, String(id))
}

export async function resumeAccount(acting: Acting, account: string): Promise<Account> {
  const { id, name } = await findAccount(acting.store, account)
  const entry = entryOf(acting, 'account.resume', {}, id)
  if (!(await acting.store.setSuspended(id, undefined, entry))) {
    throw new Mistake('conflict', `Account "${name}" is not suspended.`)
  }
  return findAccount(acting.store, String(id))
}

/** Deletes an account for good, with its keys and their bans. Its usage and its audit entries are kept. */
export async function deleteAccount(acting: Acting, account: string): Promise<Account> {
  const found = await findAccount(acting.store, account)
  const entry = entryOf(acting, 'account.delete', {}, found.id)
  if (!(await acting.store.deleteAccount(found.id, entry))) gone(account)
  return found
}

/** Finds an account by its id or its name. */
export async function findAccount(store: Store, nameOrId: string): Promise<Account> {
  const id = parseInt64(nameOrId)
  const account = await (id === undefined ? findNamed(store, nameOrId.trim()) : store.findAccount(id))
  return account ?? gone(nameOrId)
}

/** First as it is written: names from before they were all in normal form C go on working. */
async function findNamed(store: Store, name: string): Promise<Account | undefined> {
  const account = await store.findAccountByName(name)
  const normal = name.normalize('NFC')
  return account ?? (normal === name ? undefined : store.findAccountByName(normal))
}

function gone(nameOrId: string): never {
  throw new Mistake('not_found', `There is no account "${nameOrId}".`)
}
