import leven from 'leven'
import { fold } from '../fold.ts'
import type { AccountName, AccountStore } from '../store/accounts.ts'

const MAX_SIMILAR = 3
/** One typo is allowed per this many letters, rounded up. Two swapped letters are two typos. */
const LETTERS_PER_ERROR = 3
/** A longer text cannot be meant as a name, and comparing it would take too long. */
const MAX_LENGTH = 200
/** How many names are compared in one go: other calls never wait for more than a few milliseconds. */
const NAMES_AT_ONCE = 2_000

/**
 * Finds the accounts that were probably meant, best first: the same name in another case or without accents, then longer names that begin
 * with it or contain it, then names with a few typos.
 */
export async function findSimilarAccounts(store: AccountStore, typed: string): Promise<AccountName[]> {
  const wanted = fold(typed.trim())
  if (wanted === '' || wanted.length > MAX_LENGTH) return []
  let best: { account: AccountName; distance: number }[] = []
  for (let afterId = 0n; ; ) {
    const accounts = await store.listAccountNames({ afterId, limit: NAMES_AT_ONCE })
    const similar = accounts
      .map(account => ({ account, distance: distanceOf(fold(account.name), wanted) }))
      .filter(({ distance }) => distance < Number.POSITIVE_INFINITY)
    best = [...best, ...similar].toSorted((one, other) => one.distance - other.distance).slice(0, MAX_SIMILAR)
    const last = accounts.at(-1)
    if (!last || accounts.length < NAMES_AT_ONCE) return best.map(({ account }) => account)
    afterId = last.id
  }
}

function distanceOf(name: string, wanted: string): number {
  if (name === wanted) return 0
  if (name.startsWith(wanted)) return 1
  if (name.includes(wanted)) return 2
  const maxErrors = Math.ceil(wanted.length / LETTERS_PER_ERROR)
  const errors = leven(name, wanted, { maxDistance: maxErrors + 1 })
  return errors <= maxErrors ? 2 + errors : Number.POSITIVE_INFINITY
}
