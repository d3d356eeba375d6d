import { accountWrites } from './accounts.ts'
import { banWrites } from './bans.ts'
import { categoryWrites } from './categories.ts'
import { claimLinkWrites } from './claim-links.ts'
import { clockWrites } from './clock.ts'
import type { Dialect } from './dialect.ts'
import { keyWrites } from './keys.ts'
import { operatorWrites } from './operators.ts'
import { petProgressWrites } from './pet-progress.ts'
import { petWrites } from './pet-writes.ts'

/** Every write that is the same for all databases. */
export type Writes = ReturnType<typeof buildWrites>

export function buildWrites(dialect: Dialect) {
  return {
    ...petWrites(dialect),
    ...petProgressWrites(dialect),
    ...accountWrites(dialect),
    ...keyWrites,
    ...banWrites,
    ...claimLinkWrites,
    ...categoryWrites,
    ...operatorWrites,
    ...clockWrites,
  }
}
