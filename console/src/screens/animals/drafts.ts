import type { Pet } from '../../api/schema.ts'
import { watchUnsaved } from '../../lib/leaving.ts'
import { type AnimalValues, valuesOf } from './AnimalFields.tsx'

/** Unsaved changes to animals. They outlive the drawer and the end of a session. */
export const drafts = new Map<bigint, { base: Pet; values: AnimalValues }>()

watchUnsaved({ isThere: () => drafts.size > 0, isKept: true })

export function keepDraft(id: bigint, base: Pet, values: AnimalValues): void {
  if (JSON.stringify(values) === JSON.stringify(valuesOf(base))) drafts.delete(id)
  else drafts.set(id, { base, values })
}
