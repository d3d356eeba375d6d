import leven from 'leven'
import type { Account } from '../domain/account.ts'
import { UnknownAccount } from '../domain/administration/accounts.ts'
import { parseInt64 } from '../domain/int64.ts'
import type { AccountStore } from '../domain/store/accounts.ts'

const MAX_SUGGESTIONS = 3
/** So many letters, or the rest of them, may have one typing error. Two letters that are swapped are two errors. */
const LETTERS_PER_ERROR = 3

/** The same error, with the accounts that were probably meant. */
export async function suggestAccounts(store: AccountStore, { nameOrId }: UnknownAccount): Promise<UnknownAccount> {
  const similar = parseInt64(nameOrId) === undefined ? findSimilar(nameOrId, await store.listAccounts()) : []
  return new UnknownAccount(
    nameOrId,
    similar.map(({ id, name }) => `"${name}" (id ${id})`),
  )
}

/**
 * Best first: the same name in another case or without accents, then longer names that begin with it or contain it, then names with a
 * few typing errors.
 */
function findSimilar(typed: string, accounts: readonly Account[]): Account[] {
  const wanted = fold(typed)
  if (wanted === '') return []
  return accounts
    .map(account => ({ account, distance: distanceOf(fold(account.name), wanted) }))
    .filter(({ distance }) => distance < Number.POSITIVE_INFINITY)
    .toSorted((one, other) => one.distance - other.distance)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ account }) => account)
}

function distanceOf(name: string, wanted: string): number {
  if (name === wanted) return 0
  if (name.startsWith(wanted)) return 1
  if (name.includes(wanted)) return 2
  const maxErrors = Math.ceil(wanted.length / LETTERS_PER_ERROR)
  const errors = leven(name, wanted, { maxDistance: maxErrors + 1 })
  return errors <= maxErrors ? 2 + errors : Number.POSITIVE_INFINITY
}

/** Names are compared regardless of case, accents and compatibility forms. */
function fold(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().trim()
}
