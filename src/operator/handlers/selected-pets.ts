import * as selected from '../../domain/administration/selected-pets.ts'
import { invalid } from '../../domain/errors.ts'
import { MEMBER_NAMES, PET_STATUSES } from '../../domain/pet.ts'
import { MAX_SELECTED_IDS, type PetFilter } from '../../domain/pet-selection.ts'
import { parseSearchText } from '../../domain/search-text.ts'
import { PetChangeMembers, PetStatus } from '../../schema/pet-schemas.ts'
import { ChangedPetsJson, DeletedPetsJson, PetPreviewJson, petPreviewJson } from '../../schema/responses/pets.ts'
import { type Static, type TProperties, Type } from '../../schema/type.ts'
import { writeJson } from '../../schema/write-json.ts'
import { abortSignalOf } from '../handler.ts'
import { staff } from '../operation.ts'
import { category, closed, partOfName } from '../request-fields.ts'
import { REX } from './pets.ts'

/** A placeholder. */
const VERSION = 'q3J0bX1vRk2mWc8YtZ5nLw'

const PetFilterBody = Type.Object(
  Type.Partial({
    name: partOfName,
    status: Type.Array(PetStatus, {
      description: 'Only animals with one of these statuses.',
      minItems: 1,
      maxItems: PET_STATUSES.length,
    }),
    categoryId: category,
    after: Type.BigInt({ description: 'Only animals with a higher id.' }),
    before: Type.BigInt({ description: 'Only animals with a lower id.' }),
  }),
  {
    description: 'Selects the animals that match all conditions.',
    additionalProperties: false,
    rule: 'an object with any of name, status (a list), categoryId, after and before',
    check: ({ name }: { name?: string }) => name !== undefined && parseSearchText(name),
  },
)

const PetIds = Type.Array(Type.BigInt({ description: 'An id.' }), {
  description: 'Selects the animals with these ids.',
  minItems: 1,
  maxItems: MAX_SELECTED_IDS,
  rule: `a list of 1 to ${MAX_SELECTED_IDS} ids`,
})

const PetChangeMember = Type.Object(PetChangeMembers, {
  description: 'The new values for each of them; omitted members do not change.',
  minProperties: 1,
  additionalProperties: false,
  rule: `an object with one or more of ${MEMBER_NAMES.slice(0, -1).join(', ')} and ${MEMBER_NAMES.at(-1)}, each as in a new animal`,
})

const version = Type.String({
  description: 'The `version` of the preview.',
  rule: 'the version of a preview',
})

function selectingPets<More extends TProperties>(more: More) {
  return Type.Object(
    { filter: Type.Optional(PetFilterBody), ids: Type.Optional(PetIds), ...more },
    {
      eitherOf: ['filter', 'ids'],
      described: {
        oneOf: [Type.Object({ filter: PetFilterBody, ...more }, closed), Type.Object({ ids: PetIds, ...more }, closed)],
      },
    },
  )
}

const PetSelection = selectingPets({})
const PetsChange = selectingPets({ change: PetChangeMember, version })
const PetsDeletion = selectingPets({ version })

const previewPets = staff('POST', '/pets/bulk/preview', {
  summary: 'Preview a change to many animals',
  description: 'Shows which animals a change would affect. Changes nothing.',
  body: PetSelection,
  response: PetPreviewJson,
  examples: {
    byFilter: {
      body: { filter: { name: 'rex', status: ['available'] } },
      response: { count: 1, version: VERSION, sample: [REX], missingIds: [] },
    },
    byIds: { body: { ids: [1, 7] }, response: { count: 1, version: null, sample: [REX], missingIds: [7] } },
  },
  async handle({ call, context, body }) {
    return petPreviewJson(await selected.previewPets(context.store, parseSelection(body), abortSignalOf(call)))
  },
})

const correctPets = staff('POST', '/pets/bulk/correct', {
  summary: 'Correct many animals',
  description:
    'Changes all selected animals, or none. Refused unless they are exactly the animals of the preview with this `version`, unchanged since then.',
  body: PetsChange,
  response: ChangedPetsJson,
  errors: ['conflict'],
  examples: {
    sold: {
      body: { filter: { categoryId: 1, status: ['pending'] }, change: { status: 'sold' }, version: VERSION },
      response: { changed: 37, entryId: 12 },
    },
    moved: {
      body: { ids: [1, 2], change: { categoryId: 2 }, version: VERSION },
      response: { changed: 2, entryId: 12 },
    },
  },
  async handle({ context, body }) {
    const { change, version } = body
    const { count, entryId } = await selected.correctPets(context, { filter: parseSelection(body), change, version })
    return writeJson(ChangedPetsJson, { changed: count, entryId })
  },
})

const deletePets = staff('POST', '/pets/bulk/delete', {
  summary: 'Delete many animals',
  description:
    'Deletes all selected animals, or none. `POST /audit/{entryId}/undo` brings them back. Refused unless they are exactly the animals of the preview with this `version`, unchanged since then.',
  body: PetsDeletion,
  response: DeletedPetsJson,
  errors: ['conflict'],
  examples: {
    sold: {
      body: { filter: { status: ['sold'], before: 1_000 }, version: VERSION },
      response: { deleted: 120, entryId: 12 },
    },
    listed: { body: { ids: [1, 2], version: VERSION }, response: { deleted: 2, entryId: 12 } },
  },
  async handle({ context, body }) {
    const { version } = body
    const { count, entryId } = await selected.deletePets(context, { filter: parseSelection(body), version })
    return writeJson(DeletedPetsJson, { deleted: count, entryId })
  },
})

/** @throws UserError unless there is exactly one of filter and ids */
function parseSelection({ filter, ids }: Static<typeof PetSelection>): PetFilter {
  if (filter && !ids) {
    const { name, status, categoryId, after, before } = filter
    return { name, statuses: status, categoryId, afterId: after, beforeId: before }
  }
  if (ids && !filter) return { ids }
  throw invalid('Send either filter or ids, not both.', filter ? 'ids' : 'filter')
}

export const SELECTED_PETS = { previewPets, correctPets, deletePets }
