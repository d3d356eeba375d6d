import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { Account } from '../domain/account.ts'
import type { Ban } from '../domain/ban.ts'
import type { BanQuery, Page, PetPage, PetSearch } from '../domain/store.ts'
import type { UsageQuery, UsageSum } from '../domain/usage.ts'
import { accountsBehind, newestBans, petsFound, type Query, usageSums } from '../sql/queries.ts'
import { PET_WITH_CHECKSUM } from '../sql/selections.ts'

/** Every read that may take long, by name. They run on the reader's thread. */
export type Reads = ReturnType<typeof buildReads>

export function buildReads(database: DatabaseSync) {
  database.function('fold', { deterministic: true }, fold)
  database.function('has_part', { deterministic: true }, (text, part) => Number(fold(text).includes(String(part))))

  function read<Result>({ sql, values, resultOf }: Query<Result>): Result {
    return resultOf(database.prepare(sql).all(...values))
  }

  return {
    searchPets: (search: PetSearch): PetPage => read(petsFound(search, PET_WITH_CHECKSUM)),
    sumUsage: (query: UsageQuery): UsageSum[] => read(usageSums(query)),
    listBans: (query: BanQuery): Ban[] => read(newestBans(query)),
    listAccounts: (page: Page): Account[] => read(accountsBehind(page)),
  }
}

/** So that it does not matter in which case or normal form a name is typed. In capitals, ß is SS and ς is Σ. */
function fold(text: SQLInputValue): string {
  return String(text).normalize('NFKC').toUpperCase().normalize('NFKC')
}
