import { type Account, parseAccountName } from '../account.ts'
import { UserError } from '../errors.ts'
import { parseInt64 } from '../int64.ts'
import { describePlan, type Limits, limitsOf, parsePlan } from '../plan.ts'
import type { AccountStore } from '../store/accounts.ts'
import { type AdminContext, entryOf } from './context.ts'

/** A plan as an operator chooses it; see `limitsOf`. */
export interface PlanChoice {
  plan: string
  limits: Partial<Limits>
}

export async function createAccount(context: AdminContext, choice: PlanChoice & { name: string }): Promise<Account> {
  const name = parseAccountName(choice.name)
  const plan = parsePlan(choice.plan)
  const limits = limitsOf(plan, choice.limits)
  const entry = entryOf(context, 'account.create', { name, plan: describePlan(plan, limits) })
  return context.store.createAccount({ name, plan, limits }, entry)
}

export async function renameAccount(
  context: AdminContext,
  { account, name: newName }: { account: string; name: string },
): Promise<Account> {
  const { id } = await findAccount(context.store, account)
  const name = parseAccountName(newName)
  const entry = entryOf(context, 'account.rename', { name }, id)
  if (!(await context.store.renameAccount(id, name, entry))) throw new UnknownAccount(account)
  return findAccount(context.store, String(id))
}

/** Changes the plan of an account. Calls that were counted before still count. */
export async function setPlan(
  context: AdminContext,
  { account, ...choice }: PlanChoice & { account: string },
): Promise<Account> {
  const { id } = await findAccount(context.store, account)
  const plan = parsePlan(choice.plan)
  const limits = limitsOf(plan, choice.limits)
  const entry = entryOf(context, 'account.set-plan', { plan: describePlan(plan, limits) }, id)
  if (!(await context.store.setPlan(id, plan, limits, entry))) throw new UnknownAccount(account)
  return findAccount(context.store, String(id))
}

/** Refuses the keys of an account, from their next call until it is resumed. */
export async function suspendAccount(context: AdminContext, account: string): Promise<Account> {
  const { id, name } = await findAccount(context.store, account)
  const entry = entryOf(context, 'account.suspend', {}, id)
  if (await context.store.setSuspended(id, context.now, entry)) return findAccount(context.store, String(id))
  throw new UserError('conflict', `Account "${name}" is already suspended.`)
}

export async function resumeAccount(context: AdminContext, account: string): Promise<Account> {
  const { id, name } = await findAccount(context.store, account)
  const entry = entryOf(context, 'account.resume', {}, id)
  if (await context.store.setSuspended(id, undefined, entry)) return findAccount(context.store, String(id))
  throw new UserError('conflict', `Account "${name}" is not suspended.`)
}

/** Deletes an account, its keys and their bans. Its usage and its audit entries are kept. */
export async function deleteAccount(context: AdminContext, account: string): Promise<Account> {
  const found = await findAccount(context.store, account)
  const entry = entryOf(context, 'account.delete', {}, found.id)
  if (!(await context.store.deleteAccount(found.id, entry))) throw new UnknownAccount(account)
  return found
}

/** Finds an account by its id or its name. */
export async function findAccount(store: AccountStore, nameOrId: string): Promise<Account> {
  const id = parseInt64(nameOrId)
  const account = await (id === undefined ? findNamed(store, nameOrId.trim()) : store.findAccount(id))
  if (!account) throw new UnknownAccount(nameOrId)
  return account
}

/** First as it is written: old names may not be in normal form C. */
async function findNamed(store: AccountStore, name: string): Promise<Account | undefined> {
  const account = await store.findAccountByName(name)
  const normal = name.normalize('NFC')
  return account ?? (normal === name ? undefined : store.findAccountByName(normal))
}

/** Nothing has this name or id. */
export class UnknownAccount extends UserError {
  readonly nameOrId: string

  /** @param similar descriptions of accounts that may have been meant */
  constructor(nameOrId: string, similar: readonly string[] = []) {
    const suggestion = similar.length === 0 ? '.' : `; did you mean ${similar.join(' or ')}?`
    super('not_found', `There is no account "${nameOrId}"${suggestion}`)
    this.nameOrId = nameOrId
  }
}
