import type { PetFilter } from '../domain/pet-selection.ts'
import type { PetHistoryQuery, PetSearch } from '../domain/store/animals.ts'
import { accountNames, accountsFound } from './accounts.ts'
import { auditEntries } from './audit.ts'
import { bansFound } from './bans.ts'
import { categoriesFound } from './categories.ts'
import { claimLinksFound } from './claim-links.ts'
import { countsAfter } from './counts.ts'
import type { Dialect } from './dialect.ts'
import { keysFound } from './keys.ts'
import { petCounts } from './pet-counts.ts'
import { petHistory } from './pet-history.ts'
import { petPreview, petsFound } from './pet-search.ts'
import type { Query } from './statement.ts'
import { usageSums } from './usage.ts'
import { type Read, read } from './write.ts'

/** Every query that may take long, by name. */
export type LongReads = ReturnType<typeof buildLongReads>

export type LongResult<Name extends keyof LongReads> =
  ReturnType<LongReads[Name]> extends Read<infer Result> ? Result : never

export function buildLongReads(dialect: Dialect) {
  return {
    searchPets: (search: PetSearch) => petsFound(search, dialect),
    countPets: (filter: PetFilter) => petCounts(filter, dialect),
    previewPets: (filter: PetFilter) => petPreview(filter, dialect),
    listPetHistory: (query: PetHistoryQuery) => read(petHistory(query, dialect)),
    listCategories: inOneStep(categoriesFound),
    listAccounts: inOneStep(accountsFound),
    listAccountNames: inOneStep(accountNames),
    listKeys: inOneStep(keysFound),
    listBans: inOneStep(bansFound),
    listClaimLinks: inOneStep(claimLinksFound),
    listCounts: inOneStep(countsAfter),
    listAudit: inOneStep(auditEntries),
    sumUsage: inOneStep(usageSums),
  }
}

function inOneStep<Args extends unknown[], Result>(
  build: (...args: Args) => Query<Result>,
): (...args: Args) => Read<Result> {
  return (...args) => read(build(...args))
}
