import { type Static, Type } from 'typebox'
import { INT64_MAX, INT64_MIN } from '../domain/int64.ts'
import { DEFAULT_PET_STATUS, MAX_PET_NAME_LENGTH, PET_NAME_PATTERN, PET_STATUSES } from '../domain/pet.ts'

/**
 * The shapes of the contract, once: the types, the checks and the OpenAPI document are made from these. `rule` completes the sentence
 * "<name> must be …" of a refusal. An int64 is a bigint here (json.ts makes none that is larger), and an integer of format int64
 * in the document.
 */

const Int64 = { rule: `an integer from ${INT64_MIN} to ${INT64_MAX}` }

export const PetStatus = Type.Enum([...PET_STATUSES], {
  description: 'Availability status.',
  rule: `one of ${PET_STATUSES.join(', ')}`,
})

export const NewPet = Type.Object(
  {
    name: Type.String({
      description: "The animal's name, kept byte for byte.",
      minLength: 1,
      maxLength: MAX_PET_NAME_LENGTH,
      pattern: PET_NAME_PATTERN,
      rule: `a string of 1 to ${MAX_PET_NAME_LENGTH} characters, not blank, without control characters`,
    }),
    categoryId: Type.BigInt({ description: 'Identifier of the category the animal belongs to.', ...Int64 }),
    status: Type.Optional(
      Type.Unsafe<Static<typeof PetStatus>>({
        ...PetStatus,
        description: `Availability status, \`${DEFAULT_PET_STATUS}\` if left out.`,
        default: DEFAULT_PET_STATUS,
      }),
    ),
  },
  {
    description:
      'An animal to add. Other members, an id among them, are ignored, but no string in them may contain NUL or a lone surrogate.',
  },
)

export const ListQuery = Type.Object({
  limit: Type.Integer({
    description: 'Maximum number of animals returned, in plain decimal.',
    minimum: 1,
    maximum: 100,
    default: 20,
    rule: 'an integer from 1 to 100',
  }),
  status: Type.Optional(
    Type.Unsafe<Static<typeof PetStatus>>({
      ...PetStatus,
      description: 'Restricts the result to animals with this status.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      description:
        'Where the page begins: opaque, taken from the `Link` header of the page before, valid for the same status filter.',
      minLength: 1,
      rule: 'taken from the Link header of the page before',
    }),
  ),
})

export const Pet = Type.Object(
  {
    id: Type.BigInt({
      description: 'Unique identifier assigned by the service on creation, from 1 upwards.',
      ...Int64,
    }),
    ...NewPet.properties,
    status: PetStatus,
  },
  { description: 'An animal of the catalogue.' },
)

export const Pets = Type.Array(Pet, { description: 'A page of animals, by ascending id.' })

/** @param codes an open list, for codes may be added: a client that meets an unknown one goes by the status */
export function errorBody(codes: readonly string[]) {
  return Type.Object(
    {
      code: Type.String({
        description:
          'Machine-readable error code. More codes may come: treat one that you do not know by its `status`.',
        'x-extensible-enum': codes,
      }),
      message: Type.String({ description: 'What is wrong, and what would be right.' }),
      status: Type.Integer({ description: 'The HTTP status code of the response.', minimum: 400, maximum: 599 }),
    },
    { description: 'The one shape of every refusal.', additionalProperties: false },
  )
}
