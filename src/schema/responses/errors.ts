import { ERRORS } from '../error-codes.ts'
import { object, text } from '../fields.ts'
import { errorBody } from '../pet-schemas.ts'
import { Type } from '../type.ts'

const Problems = Type.Array(
  object('An invalid member of the body, or an invalid parameter of the query.', {
    member: text('The name of the member or parameter.'),
    message: text('What it must be.'),
  }),
  {
    description: 'Every invalid member or parameter; absent if the request was refused for another reason.',
    minItems: 1,
  },
)

/** Every error response of the admin API. */
export const ErrorJson = errorBody(Object.keys(ERRORS), { errors: Type.Optional(Problems) })
