import type { AuditEntry, AuditValue } from '../../domain/audit.ts'
import type { NewPet } from '../../domain/pet.ts'

/** Such as "plan: free → pro, perMinute: 60 → 300". */
export function formatFacts({
  before = {},
  after = {},
  details,
}: Pick<AuditEntry, 'before' | 'after' | 'details'>): string {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const changes = [...names].map(name => [name, formatChange(before[name], after[name])])
  // The details of older entries have the values of a new animal, too.
  const others = Object.entries(details).filter(([name]) => !names.has(name))
  const facts = [...changes, ...others].filter(([, value]) => value !== undefined)
  return facts.map(([name, value]) => `${name}: ${value}`).join(', ') || '-'
}

interface PetFacts {
  before: NewPet | undefined
  after: NewPet | undefined
  details?: AuditEntry['details']
}

/** The same for what an action did to an animal. */
export function formatPetFacts({ before, after, details = {} }: PetFacts): string {
  return formatFacts({ before: before && { ...before }, after: after && { ...after }, details })
}

/** Returns undefined if there is nothing to show: the value has not changed, or is null in the only known state. */
function formatChange(before: AuditValue | undefined, after: AuditValue | undefined): string | undefined {
  if (before === after) return undefined
  if (before === undefined || after === undefined) {
    const only = before ?? after
    return only === null ? undefined : String(only)
  }
  return `${before ?? '-'} → ${after ?? '-'}`
}
