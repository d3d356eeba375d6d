import type { Holdings } from '../store-files.ts'
import { formatTable } from './text.ts'

/** What a store holds, for `--json`. */
export function holdingsJson({ deployment, version, counts, newestPetId }: Holdings) {
  return { deployment, version, ...counts, newestAnimalId: newestPetId }
}

/** The same for a person. */
export function formatHoldings({ counts, newestPetId }: Holdings): string {
  return formatTable(
    ['HOLDS', 'NUMBER'],
    [
      ['animals', counts.animals],
      ['highest animal id', newestPetId],
      ['accounts', counts.accounts],
      ['API keys', counts.keys],
      ['bans', counts.bans],
      ["operators' tokens", counts.operatorTokens],
      ["operators' sessions", counts.sessions],
      ['audit entries', counts.auditEntries],
      ['usage records', counts.usageRecords],
      ['idempotency keys', counts.idempotencyKeys],
    ],
  )
}
