import { INT64_MAX, INT64_MIN } from '../domain/int64.ts'
import {
  type NewPet as Animal,
  DEFAULT_PET_STATUS,
  MAX_PET_NAME_LENGTH,
  type MemberName,
  PET_NAME_PATTERN,
  PET_STATUSES,
} from '../domain/pet.ts'
import { integer, named, oneOf } from './fields.ts'
import { MAX_PAGE_SIZE } from './limits.ts'
import { type TProperties, type TSchema, Type } from './type.ts'

/**
 * The schemas of animals. The types, the checks and the OpenAPI documents are generated from these. `rule` completes the sentence "<name>
 * must be …" of an error message. An int64 is a bigint here (json.ts makes no larger ones), and an integer of format int64 in the
 * documents.
 */

const Int64 = { rule: `an integer from ${INT64_MIN} to ${INT64_MAX}` }

export const PetStatus = Type.Named('PetStatus', oneOf(PET_STATUSES, 'Availability status.'))

export const PetMembers = {
  name: Type.String({
    description: "The animal's name, kept byte for byte.",
    minLength: 1,
    maxLength: MAX_PET_NAME_LENGTH,
    pattern: PET_NAME_PATTERN,
    rule: `a string of 1 to ${MAX_PET_NAME_LENGTH} characters, not blank, without control characters`,
  }),
  categoryId: Type.BigInt({ description: 'Identifier of the category the animal belongs to.', ...Int64 }),
  status: PetStatus,
} satisfies { [Name in MemberName]: TSchema<Animal[Name]> }

/** The members of a correction: absent ones do not change. */
export const PetChangeMembers = Type.Partial(PetMembers)

export const NewPet = Type.Named(
  'NewPet',
  Type.Object(
    {
      ...PetMembers,
      status: {
        ...PetStatus,
        description: `Availability status; the default is \`${DEFAULT_PET_STATUS}\`.`,
        default: DEFAULT_PET_STATUS,
      },
    },
    {
      description:
        'An animal to add. Unknown members, including an id, are ignored, but no string in them may contain NUL or a lone surrogate.',
    },
  ),
)

export const ListQuery = Type.Object({
  limit: integer(1, MAX_PAGE_SIZE, 'Maximum number of animals to return, in plain decimal.', { default: 20 }),
  status: Type.Optional({ ...PetStatus, description: 'Restricts the result to animals with this status.' }),
  cursor: Type.Optional(
    Type.String({
      description:
        'Where the page begins: an opaque value from the `Link` header of the previous page, valid only with the same status filter.',
      minLength: 1,
      rule: 'taken from the Link header of the previous page',
    }),
  ),
})

export const PetId = Type.BigInt({
  description: 'The id of the animal. Anything that is not a decimal int64 matches no animal: 404.',
})

export const Pet = Type.Named(
  'Pet',
  Type.Object(
    {
      id: Type.BigInt({
        description: 'Unique identifier, assigned by the service on creation, starting at 1.',
        ...Int64,
      }),
      ...PetMembers,
    },
    { description: 'An animal in the catalogue.' },
  ),
)

export const Pets = Type.Named('Pets', Type.Array(Pet, { description: 'A page of animals, sorted by ascending id.' }))

/**
 * The schema of every refusal.
 * @param codes an open list: codes may be added
 * @param more members that only some refusals have
 */
export function errorBody<More extends TProperties>(codes: readonly string[], more: More) {
  return named('Error', 'Every error response has this shape.', {
    code: Type.String({
      description: 'Machine-readable error code. More codes may be added: handle an unknown one by its `status`.',
      'x-extensible-enum': codes,
    }),
    message: Type.String({ description: 'What is wrong, and how to fix it.' }),
    status: Type.Integer({ description: 'The HTTP status code of the response.', minimum: 400, maximum: 599 }),
    ...more,
  })
}
