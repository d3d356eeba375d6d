import type { PetStatus } from '../domain/pet.ts'
import type { ValueMeaning } from '../domain/value-meaning.ts'

/** A format in which shelter software writes its animals for a portal, with a row for each animal that is there. */
interface FeedFormat {
  /** Names of columns, in small letters without punctuation: one of each list. */
  columns: readonly (readonly string[])[]
  statuses: Readonly<Record<string, PetStatus>>
}

const FORMATS: readonly FeedFormat[] = [
  // Petfinder: adoptable, hold, found, pending, adopted.
  {
    columns: [['id'], ['animalname'], ['type'], ['status']],
    statuses: { A: 'available', H: 'pending', F: 'pending', P: 'pending', X: 'sold' },
  },
  // RescueGroups
  {
    columns: [['externalid', 'animalid'], ['name'], ['type', 'species'], ['status']],
    statuses: { adoptable: 'available', hold: 'pending', found: 'pending', adopted: 'sold' },
  },
]

/**
 * What the statuses mean in the format that has these columns; undefined for other formats.
 * @param names in small letters without punctuation
 */
export function meaningsOfFeed(names: readonly string[]): ValueMeaning[] | undefined {
  const format = FORMATS.find(({ columns }) => columns.every(oneOf => oneOf.some(name => names.includes(name))))
  if (!format) return undefined
  return Object.entries(format.statuses).map(([word, meaning]) => ({ member: 'status', word, meaning }))
}
