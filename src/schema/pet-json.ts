import type { Pet as Animal } from '../domain/pet.ts'
import { NewPet } from './pet-schemas.ts'
import { buildCheck } from './validate.ts'

/**
 * Checks the members of a new animal, wherever they come from. Sets the default status if there is none.
 * @throws InvalidInput invalid_body
 */
export const checkNewPet = buildCheck(NewPet, 'invalid_body')

/** An animal as JSON, with int64s digit for digit. Written out, as a loop over the schema takes up to four times as long. */
export function formatPet({ id, name, categoryId, status }: Animal): string {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`
}
