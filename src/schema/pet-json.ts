import { NewPet, PetChangeMembers } from './pet-schemas.ts'
import { Type } from './type.ts'
import { buildCheck } from './validate.ts'

/**
 * Checks the members of a new animal from any source. Sets the default status if there is none.
 * @throws InvalidInput invalid_body
 */
export const checkNewPet = buildCheck(NewPet, 'invalid_body')

/** Absent members stay undefined. @throws InvalidInput invalid_body */
export const checkPetChange = buildCheck(Type.Object(PetChangeMembers), 'invalid_body')
