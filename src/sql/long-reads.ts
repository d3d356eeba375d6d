import type { PetSearch } from '../domain/store/animals.ts'
import { accountsFound } from './accounts.ts'
import { newestBans } from './bans.ts'
import { countsAfter } from './counts.ts'
import type { Dialect } from './dialect.ts'
import { keysFound } from './keys.ts'
import { petsFound } from './pets.ts'
import type { Query } from './statement.ts'
import { usageSums } from './usage.ts'

/** Every query that may take long, by name. */
export type LongReads = ReturnType<typeof buildLongReads>

export type LongResult<Name extends keyof LongReads> =
  ReturnType<LongReads[Name]> extends Query<infer Result> ? Result : never

export function buildLongReads({ selectPet }: Dialect) {
  return {
    searchPets: (search: PetSearch) => petsFound(search, selectPet),
    listAccounts: accountsFound,
    listKeys: keysFound,
    listBans: newestBans,
    listCounts: countsAfter,
    sumUsage: usageSums,
  }
}
