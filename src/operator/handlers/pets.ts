import type { AdminContext } from '../../domain/administration/context.ts'
import * as pets from '../../domain/administration/pets.ts'
import { UserError } from '../../domain/errors.ts'
import type { NewPet, Pet } from '../../domain/pet.ts'
import type { Call } from '../../http/call.ts'
import { etagOf, matchesAnything, requireMatch } from '../../http/conditional.ts'
import { Refusal } from '../../http/refusal.ts'
import { formatJson } from '../../schema/exact-json.ts'
import { defineHandler, type Request, signalOf, type WithBody, type WithQuery } from '../handler.ts'
import type { PetChange, PetSearch, PetToAdd } from '../request-schemas.ts'

const REX = { id: 1, name: 'Rex', categoryId: 1, status: 'available' }
const BELLA = { id: 2, name: 'Bella', categoryId: 1, status: 'available' }

export const searchPets = defineHandler({
  id: 'searchPets',
  summary: 'List and search animals',
  description: 'Returns the animals that meet all conditions, in ascending order of id.',
  page: 'after',
  examples: {
    available: { query: { status: 'available', limit: 2 }, response: [REX, BELLA] },
    byName: { query: { name: 'rex', categoryId: 1, after: 0 }, response: [REX] },
    byId: { query: { id: 1 }, response: [REX] },
  },
  async handle({ call, context, query: { after, limit, ...search } }: WithQuery<typeof PetSearch>) {
    const any = { name: undefined, status: undefined, categoryId: undefined, id: undefined }
    const wanted = { ...any, ...search, afterId: after, limit: limit + 1 }
    const found = await context.store.searchPets(wanted, signalOf(call))
    return found.pets
  },
})

export const addPet = defineHandler({
  id: 'addPet',
  summary: 'Add an animal',
  location: '/pets',
  hasETag: true,
  examples: { available: { body: { name: 'Rex', categoryId: 1 }, response: REX } },
  handle: ({ context, body }: WithBody<typeof PetToAdd>) => pets.addPet(context, body as NewPet),
})

export const readPet = defineHandler({
  id: 'readPet',
  summary: 'Get an animal',
  hasETag: true,
  examples: { rex: { id: 1, response: REX } },
  handle: ({ context, id }: Request) => pets.findPet(context.store, id),
})

export const correctPet = defineHandler({
  id: 'correctPet',
  summary: 'Correct an animal',
  description: '`If-Match` must be the `ETag` that you read, so that you do not overwrite a change by someone else.',
  hasETag: true,
  needsIfMatch: true,
  examples: {
    sold: { id: 1, headers: { 'If-Match': '*' }, body: { status: 'sold' }, response: { ...REX, status: 'sold' } },
  },
  handle({ call, context, id, body }: WithBody<typeof PetChange>) {
    const given = Object.entries(body).filter(([, value]) => value !== undefined)
    const change: Partial<NewPet> = Object.fromEntries(given)
    return changeIfMatch(call, context, id, found => pets.correctPet(context, found, change))
  },
})

export const deletePet = defineHandler({
  id: 'deletePet',
  summary: 'Delete an animal',
  description: 'This cannot be undone, and the id is never used again. `If-Match` is required, as for a correction.',
  needsIfMatch: true,
  examples: { bella: { id: 2, headers: { 'If-Match': '*' } } },
  handle: ({ call, context, id }: Request) => changeIfMatch(call, context, id, found => pets.deletePet(context, found)),
})

/**
 * Changes an animal if it is as `If-Match` says. Someone else may change it between our read and our write: then the condition has
 * failed, unless it accepts any state. In that case we read again; each repetition means that another change succeeded.
 */
async function changeIfMatch<Result>(
  call: Call,
  { store }: AdminContext,
  petId: string,
  change: (found: Pet) => Promise<Result>,
): Promise<Result> {
  for (;;) {
    const found = await pets.findPet(store, petId)
    requireMatch(call, etagOf(formatJson(found)))
    try {
      return await change(found)
    } catch (error) {
      if (!(error instanceof UserError && error.kind === 'conflict')) throw error
      if (!matchesAnything(call)) throw new Refusal('precondition_failed', error.message)
    }
  }
}
