import { accountWrites } from './accounts.ts'
import { banWrites } from './bans.ts'
import { categoryWrites } from './categories.ts'
import { claimLinkWrites } from './claim-links.ts'
import type { Dialect } from './dialect.ts'
import { keyWrites } from './keys.ts'
import { operatorWrites } from './operators.ts'
import { petWrites } from './pets.ts'

/** Every write that is the same for all databases. */
export type Writes = ReturnType<typeof buildWrites>

export function buildWrites(dialect: Dialect) {
  return {
    ...petWrites(dialect),
    ...accountWrites(dialect),
    ...keyWrites,
    ...banWrites,
    ...claimLinkWrites,
    ...categoryWrites,
    ...operatorWrites,
  }
}
