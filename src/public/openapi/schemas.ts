import { PUBLIC_ERRORS } from '../../domain/errors.ts'
import { buildSchemas } from '../../http/openapi/schemas.ts'
import { errorBody, NewPet, Pet, PetStatus, Pets } from '../../http/schemas.ts'

export const { named: SCHEMAS, describe } = buildSchemas({
  Pet,
  NewPet,
  Pets,
  PetStatus,
  Error: errorBody(Object.keys(PUBLIC_ERRORS)),
})
