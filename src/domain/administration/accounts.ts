import { type Account, type AccountVersion, type AccountWithUsage, parseAccountName } from '../account.ts'
import type { AuditAction } from '../audit.ts'
import { conflict, notFound, type UserError } from '../errors.ts'
import { parseInt64 } from '../int64.ts'
import { type Limits, limitsOf, parsePlan } from '../plan.ts'
import type { AccountName, AccountOrder, AccountQuery, AccountStore } from '../store/accounts.ts'
import { optionalIsoTime } from '../time.ts'
import { type AdminContext, entryOf } from './context.ts'
import { findSimilarAccounts } from './similar-accounts.ts'

/** The plan that an operator chose; see `limitsOf`. */
export interface PlanChoice {
  plan: string
  limits: Partial<Limits>
}

/** The account as the operator read it. If it has changed since, the action fails. */
export interface Expected {
  expected?: AccountVersion | undefined
}

export async function createAccount(context: AdminContext, choice: PlanChoice & { name: string }): Promise<Account> {
  const name = parseAccountName(choice.name)
  const plan = parsePlan(choice.plan)
  const limits = limitsOf(plan, choice.limits)
  const entry = entryOf(context, 'account.create', { after: { name, plan, ...limits } })
  return context.store.createAccount({ name, plan, limits }, entry)
}

export async function renameAccount(
  context: AdminContext,
  { account, name: newName, expected }: { account: string; name: string } & Expected,
): Promise<Account> {
  const { id } = await findAccount(context.store, account)
  const name = parseAccountName(newName)
  const entry = entryOf(context, 'account.rename', { accountId: id, after: { name } })
  const renamed = await context.store.renameAccount(id, name, entry, expected)
  if (!renamed) throw unknownAccount(account)
  return renamed
}

/** Changes the plan of an account. Calls already counted still count. */
export async function setPlan(
  context: AdminContext,
  { account, expected, ...choice }: PlanChoice & { account: string } & Expected,
): Promise<Account> {
  const { id } = await findAccount(context.store, account)
  const plan = parsePlan(choice.plan)
  const limits = limitsOf(plan, choice.limits)
  const entry = entryOf(context, 'account.set-plan', { accountId: id, after: { plan, ...limits } })
  const changed = await context.store.setPlan(id, plan, limits, entry, expected)
  if (!changed) throw unknownAccount(account)
  return changed
}

/** Suspends an account: its keys are refused from their next call until it is resumed. */
export function suspendAccount(context: AdminContext, account: string, expected: Expected = {}): Promise<Account> {
  return setSuspended(context, account, { action: 'account.suspend', at: context.now, refusal: 'already' }, expected)
}

export function resumeAccount(context: AdminContext, account: string, expected: Expected = {}): Promise<Account> {
  return setSuspended(context, account, { action: 'account.resume', at: undefined, refusal: 'not' }, expected)
}

/** @param at undefined to resume it */
async function setSuspended(
  context: AdminContext,
  account: string,
  { action, at, refusal }: { action: AuditAction; at: number | undefined; refusal: string },
  { expected }: Expected,
): Promise<Account> {
  const { id } = await findAccount(context.store, account)
  const entry = entryOf(context, action, { accountId: id, after: { suspendedAt: optionalIsoTime(at) ?? null } })
  const changed = await context.store.setSuspended(id, at, entry, expected)
  if (changed) return changed
  // It may also have been deleted meanwhile.
  const { name } = await findAccount(context.store, String(id))
  throw conflict(`Account "${name}" is ${refusal} suspended.`)
}

/** Deletes an account, its keys and their bans. Its usage and its audit entries are kept. */
export async function deleteAccount(
  context: AdminContext,
  account: string,
  { expected }: Expected = {},
): Promise<Account> {
  const found = await findAccount(context.store, account)
  const entry = entryOf(context, 'account.delete', { accountId: found.id })
  if (!(await context.store.deleteAccount(found.id, entry, expected))) throw unknownAccount(account)
  return found
}

/**
 * Lists accounts with today's calls, page by page.
 * @throws UserError when the last account of the previous page has been deleted and the list is not ordered by id: without its name or its
 * calls, the start of the next page is unknown
 */
export async function listAccounts(store: AccountStore, query: AccountQuery): Promise<AccountWithUsage[]> {
  const { sort = 'oldest', afterId = 0n } = query
  if (!ORDERS_OF_IDS.includes(sort) && afterId > 0n && !(await store.findAccount(afterId))) {
    throw notFound(`There is no account with id ${afterId}; start again from the first page.`, 'after')
  }
  return store.listAccounts(query)
}

const ORDERS_OF_IDS: readonly AccountOrder[] = ['oldest', 'newest']

/** @throws UserError that suggests similar names */
export async function findAccount(store: AccountStore, nameOrId: string): Promise<Account> {
  const id = parseInt64(nameOrId)
  const account = await (id === undefined ? store.findAccountByName(nameOrId.trim()) : store.findAccount(id))
  if (account) return account
  throw unknownAccount(nameOrId, id === undefined ? await findSimilarAccounts(store, nameOrId) : [])
}

function unknownAccount(nameOrId: string, similar: readonly AccountName[] = []): UserError {
  const meant = similar.map(({ id, name }) => `"${name}" (id ${id})`)
  const suggestion = meant.length === 0 ? '.' : `; did you mean ${meant.join(' or ')}?`
  return notFound(`There is no account "${nameOrId}"${suggestion}`)
}
