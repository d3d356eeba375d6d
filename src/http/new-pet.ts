import type { NewPet as NewAnimal } from '../domain/pet.ts'
import { NewPet } from './schemas.ts'
import { buildCheck } from './validate.ts'

/**
 * Reads the members of a new animal, wherever it comes from; the status that is left out is the default one.
 * @throws Refusal invalid_body
 */
export const checkNewPet = buildCheck(NewPet, 'invalid_body') as (
  members: Readonly<Record<string, unknown>>,
) => NewAnimal
