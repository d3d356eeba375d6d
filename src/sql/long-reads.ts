import type { PetFilter } from '../domain/pet-selection.ts'
import type { PetHistoryQuery, PetSearch } from '../domain/store/animals.ts'
import { accountNames, accountsFound } from './accounts.ts'
import { auditEntries } from './audit.ts'
import { banHistory, newestBans } from './bans.ts'
import { categoriesFound } from './categories.ts'
import { claimLinksFound } from './claim-links.ts'
import { countsAfter } from './counts.ts'
import type { Dialect } from './dialect.ts'
import { keysFound } from './keys.ts'
import { petHistory } from './pet-history.ts'
import { petCounts, petPreview, petsFound } from './pets.ts'
import type { Query } from './statement.ts'
import { usageSums } from './usage.ts'

/** Every query that may take long, by name. */
export type LongReads = ReturnType<typeof buildLongReads>

export type LongResult<Name extends keyof LongReads> =
  ReturnType<LongReads[Name]> extends Query<infer Result> ? Result : never

export function buildLongReads(dialect: Dialect) {
  return {
    searchPets: (search: PetSearch) => petsFound(search, dialect),
    countPets: (filter: PetFilter) => petCounts(filter, dialect),
    previewPets: (filter: PetFilter) => petPreview(filter, dialect),
    listPetHistory: (query: PetHistoryQuery) => petHistory(query, dialect),
    listCategories: categoriesFound,
    listAccounts: accountsFound,
    listAccountNames: accountNames,
    listKeys: keysFound,
    listBans: newestBans,
    listBanHistory: banHistory,
    listClaimLinks: claimLinksFound,
    listCounts: countsAfter,
    listAudit: auditEntries,
    sumUsage: usageSums,
  }
}
