import * as selected from '../../domain/administration/selected-pets.ts'
import { UserError } from '../../domain/errors.ts'
import type { PetFilter } from '../../domain/pet-selection.ts'
import { ChangedPetsJson, DeletedPetsJson, PetPreviewJson, petPreviewJson } from '../../schema/responses/pets.ts'
import type { Static } from '../../schema/type.ts'
import { abortSignalOf } from '../handler.ts'
import { staff } from '../operation.ts'
import { PetSelection, PetsChange, PetsDeletion } from '../request-schemas.ts'

/** A placeholder. */
const VERSION = 'q3J0bX1vRk2mWc8YtZ5nLw'

const REX = {
  id: 1,
  name: 'Rex',
  categoryId: 1,
  status: 'available',
  categoryLabel: 'Dogs',
  etag: '"_kBZ4Fb5m5SxK0l4fO9H1h0bXgw"',
}

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
      response: { changed: 37 },
    },
    moved: { body: { ids: [1, 2], change: { categoryId: 2 }, version: VERSION }, response: { changed: 2 } },
  },
  async handle({ context, body }) {
    const { change, version } = body
    return { changed: await selected.correctPets(context, { filter: parseSelection(body), change, version }) }
  },
})

const deletePets = staff('POST', '/pets/bulk/delete', {
  summary: 'Delete many animals',
  description:
    'Deletes all selected animals, or none. This cannot be undone. Refused unless they are exactly the animals of the preview with this `version`, unchanged since then.',
  body: PetsDeletion,
  response: DeletedPetsJson,
  errors: ['conflict'],
  examples: {
    sold: {
      body: { filter: { status: ['sold'], before: 1_000 }, version: VERSION },
      response: { deleted: 120 },
    },
    listed: { body: { ids: [1, 2], version: VERSION }, response: { deleted: 2 } },
  },
  async handle({ context, body }) {
    const { version } = body
    return { deleted: await selected.deletePets(context, { filter: parseSelection(body), version }) }
  },
})

/** @throws UserError unless there is exactly one of filter and ids */
function parseSelection({ filter, ids }: Static<typeof PetSelection>): PetFilter {
  if (filter && !ids) {
    const { name, status, categoryId, after, before } = filter
    return { name, statuses: status, categoryId, afterId: after, beforeId: before }
  }
  if (ids && !filter) return { ids }
  throw new UserError('invalid', 'Send either filter or ids, not both.', filter ? 'ids' : 'filter')
}

export const SELECTED_PETS = { previewPets, correctPets, deletePets }
