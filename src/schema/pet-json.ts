import type { Pet as Animal } from '../domain/pet.ts'
import { NewPet, PetStatus } from './pet-schemas.ts'
import { Type } from './type.ts'
import { buildCheck } from './validate.ts'

/**
 * Checks the members of a new animal, wherever they come from. Sets the default status if there is none.
 * @throws InvalidInput invalid_body
 */
export const checkNewPet = buildCheck(NewPet, 'invalid_body')

const { name, categoryId } = NewPet.properties

/**
 * Checks the members of an animal that change. Those that are absent stay undefined.
 * @throws InvalidInput invalid_body
 */
export const checkPetChange = buildCheck(
  Type.Object({ name: Type.Optional(name), categoryId: Type.Optional(categoryId), status: Type.Optional(PetStatus) }),
  'invalid_body',
)

/** An animal as JSON, with int64s digit for digit. Written out, as a loop over the schema takes up to four times as long. */
export function formatPet({ id, name, categoryId, status }: Animal): string {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`
}
