import { PET_STATUSES } from '../domain/pet.ts'
import type { PetMember } from '../domain/pet-files.ts'

const NUMBER = /^-?\d+(?:[.,]\d+)?$/

/**
 * A header for a first line that looks like an animal: no value is the name of a column, and one is a number or a status. Undefined for other
 * lines.
 * @param isName whether a value is a common name of a column
 */
export function headerFor(values: readonly string[], isName: (value: string) => boolean): string[] | undefined {
  if (values.some(isName)) return undefined
  const kinds = values.map(kindOf)
  if (!kinds.some(kind => kind !== 'name')) return undefined
  // The only number in a line is more likely a category, which each animal needs.
  if (kinds[0] === 'categoryId' && kinds.indexOf('categoryId', 1) > 0) kinds[0] = 'id'
  return kinds.map((kind, at) => (kinds.indexOf(kind) === at ? kind : 'other'))
}

function kindOf(value: string): PetMember {
  if (NUMBER.test(value)) return 'categoryId'
  return (PET_STATUSES as readonly string[]).includes(value.toLowerCase()) ? 'status' : 'name'
}
