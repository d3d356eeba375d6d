import { type LabelledPet, labelPet, labelPets } from '../../domain/administration/categories.ts'
import type { AdminContext } from '../../domain/administration/context.ts'
import * as pets from '../../domain/administration/pets.ts'
import { UserError } from '../../domain/errors.ts'
import type { NewPet as Animal, Pet, PetStatus } from '../../domain/pet.ts'
import { PET_ORDERS, type PetOrder } from '../../domain/store/animals.ts'
import type { Call } from '../../http/call.ts'
import { matchesAnything, refuseMismatch, requireMatch } from '../../http/conditional.ts'
import { Refusal } from '../../http/refusal.ts'
import { given, oneOf } from '../../schema/fields.ts'
import { NewPet, PetChangeMembers } from '../../schema/pet-schemas.ts'
import {
  DeletedPetJson,
  deletedPetJson,
  PetEventJson,
  PetJson,
  PetTotalsJson,
  petEtag,
  petEventJson,
  petTotalsJson,
  taggedPetJson,
} from '../../schema/responses/pets.ts'
import { Type } from '../../schema/type.ts'
import { staffCreates } from '../creation.ts'
import { abortSignalOf, ENTRY_HEADER, type Request } from '../handler.ts'
import { staff } from '../operation.ts'
import { after, before, limit, PetConditions } from '../request-fields.ts'

export const REX = {
  id: 1,
  name: 'Rex',
  categoryId: 1,
  status: 'available',
  categoryLabel: 'Dogs',
  origin: null,
  etag: '"_kBZ4Fb5m5SxK0l4fO9H1h0bXgw"',
}
const BELLA = { ...REX, id: 2, name: 'Bella', etag: '"wTgnDCBV4nHd9hXQGGXZ0ab8yqQ"' }
const { etag: _, ...LAST_OF_BELLA } = BELLA
const DELETED_BELLA = {
  ...LAST_OF_BELLA,
  deletedAt: '2026-03-02T11:00:00.000Z',
  deletedBy: 'Anna (token 1)',
  entryId: 12,
}

const onlyId = Type.Optional(Type.BigInt({ description: 'Only the animal with this id.', rule: 'an id' }))

const sort = Type.Unsafe<PetOrder>({ ...oneOf(PET_ORDERS, 'The order of the list, by id.'), default: 'oldest' })

const searchPets = staff('GET', '/pets', {
  summary: 'List and search animals',
  description: 'Returns the animals that match all conditions.',
  query: Type.Object({
    ...PetConditions,
    id: onlyId,
    externalId: Type.Optional(given('Only animals with this id in their source.', 'an id of a source')),
    sort,
    after,
    before,
    limit,
  }),
  response: Type.Array(PetJson),
  examples: {
    available: { query: { status: 'available', limit: 2 }, response: [REX, BELLA] },
    newest: { query: { status: 'available,pending', sort: 'newest', before: 1_000 }, response: [BELLA, REX] },
    byName: { query: { name: 'rex', categoryId: 1, after: 0 }, response: [REX] },
    byId: { query: { id: 1 }, response: [REX] },
    byExternalId: {
      query: { externalId: 'A1001' },
      response: [{ ...REX, origin: { source: 'riverside', externalId: 'A1001' } }],
    },
  },
  async handle({ call, context: { store }, query }) {
    const { name, status, categoryId, id, externalId, sort, after, before, limit } = query
    const external =
      externalId === undefined ? undefined : (await store.findByExternalId(externalId)).map(({ petId }) => petId)
    const ids = id === undefined ? external : [id].filter(one => external?.includes(one) ?? true)
    const conditions = { name, statuses: parseStatuses(status), categoryId, ids }
    const wanted = { ...conditions, order: sort, afterId: after, beforeId: before, limit: limit + 1 }
    const { pets: found } = await store.searchPets(wanted, abortSignalOf(call))
    return (await labelPets(store, found)).map(taggedPetJson)
  },
})

const searchDeletedPets = staff('GET', '/pets/deleted', {
  summary: 'List and search deleted animals',
  description:
    'Returns the deleted animals whose last values match all conditions. To bring one back under its own id, send its `entryId` and the state ' +
    '`before` to `POST /pets/{petId}/restore`. `POST /audit/{entryId}/undo` brings back all animals of the deletion.',
  query: Type.Object({ ...PetConditions, id: onlyId, sort, after, before, limit }),
  response: Type.Array(DeletedPetJson),
  examples: {
    newest: { query: { sort: 'newest', limit: 1 }, response: [DELETED_BELLA] },
    byName: { query: { name: 'bella', categoryId: 1 }, response: [DELETED_BELLA] },
  },
  async handle({ call, context: { store }, query }) {
    const { name, status, categoryId, id, sort, after, before, limit } = query
    const conditions = { name, statuses: parseStatuses(status), categoryId, ids: id === undefined ? undefined : [id] }
    const wanted = { ...conditions, order: sort, afterId: after, beforeId: before, limit: limit + 1 }
    const { pets: found } = await store.searchDeletedPets(wanted, abortSignalOf(call))
    return (await labelPets(store, found)).map(deletedPetJson)
  },
})

const countPets = staff('GET', '/pets/totals', {
  summary: 'Count animals by status',
  description: 'Returns how many animals match all conditions.',
  query: Type.Object(PetConditions),
  response: PetTotalsJson,
  examples: {
    ofCategory: { query: { categoryId: 1 }, response: { total: 2, available: 2, pending: 0, sold: 0 } },
    unsold: {
      query: { name: 'rex', status: 'available,pending' },
      response: { total: 1, available: 1, pending: 0, sold: 0 },
    },
  },
  async handle({ call, context, query: { name, status, categoryId } }) {
    const filter = { name, statuses: parseStatuses(status), categoryId }
    return petTotalsJson(await context.store.countPets(filter, abortSignalOf(call)))
  },
})

const addPet = staffCreates('POST', '/pets', {
  summary: 'Add an animal',
  body: Type.Object(NewPet.properties, { description: 'An animal to add.' }),
  response: PetJson,
  location: '/pets',
  hasETag: true,
  examples: { available: { body: { name: 'Rex', categoryId: 1 }, response: REX } },
  namesEntry: true,
  create: ({ context, body }) => pets.addPet(context, body as Animal),
  answer: answerChanged,
})

const readPet = staff('GET', '/pets/{petId}', {
  summary: 'Get an animal',
  response: PetJson,
  hasETag: true,
  examples: { rex: { id: 1, response: REX } },
  async handle({ context: { store }, id }) {
    return taggedPetJson(await labelPet(store, await pets.findPet(store, id)))
  },
})

const correctPet = staff('PATCH', '/pets/{petId}', {
  summary: 'Correct an animal',
  description: "Send the `ETag` that you read as `If-Match`, so that you do not overwrite someone else's change.",
  body: Type.Object(PetChangeMembers, {
    description: 'The members to change; omitted members do not change.',
  }),
  response: PetJson,
  hasETag: true,
  namesEntry: true,
  ifMatch: 'required',
  examples: {
    sold: { id: 1, headers: { 'If-Match': '*' }, body: { status: 'sold' }, response: { ...REX, status: 'sold' } },
  },
  async handle(request) {
    const { call, context, id, body } = request
    const given = Object.entries(body).filter(([, value]) => value !== undefined)
    const change: Partial<Animal> = Object.fromEntries(given)
    const corrected = await changeIfMatch(call, context, id, found => pets.correctPet(context, found, change))
    return answerChanged(await labelPet(context.store, corrected), request)
  },
})

const deletePet = staff('DELETE', '/pets/{petId}', {
  summary: 'Delete an animal',
  description:
    '`POST /audit/{entryId}/undo` brings it back; `GET /pets/deleted` lists it until then. No other animal gets its id. `If-Match` is required, as for a correction.',
  namesEntry: true,
  ifMatch: 'required',
  examples: { bella: { id: 2, headers: { 'If-Match': '*' } } },
  async handle({ call, context, id, headers }) {
    nameEntry(headers, await changeIfMatch(call, context, id, found => pets.deletePet(context, found)))
  },
})

const readPetHistory = staff('GET', '/pets/{petId}/history', {
  summary: 'Get the history of an animal',
  description:
    'Returns what operators did to an animal, newest first, even if it has been deleted. If a caller added the animal, its history begins with its first change.',
  query: Type.Object({ before, limit }),
  response: Type.Array(PetEventJson),
  examples: {
    rex: {
      id: 1,
      query: { before: 1_000, limit: 20 },
      response: [
        {
          id: 12,
          at: '2026-03-02T11:00:00.000Z',
          actor: 'Anna (token 1)',
          tokenId: 1,
          origin: '192.0.2.7',
          action: 'pet.correct',
          before: { name: 'Rex', categoryId: 1, status: 'available' },
          after: { name: 'Rex', categoryId: 1, status: 'sold' },
          details: {},
        },
      ],
    },
  },
  async handle({ call, context: { store }, id, query: { before, limit } }) {
    const events = await pets.listPetHistory(store, id, { beforeId: before, limit: limit + 1 }, abortSignalOf(call))
    return events.map(petEventJson)
  },
})

const restorePet = staff('POST', '/pets/{petId}/restore', {
  summary: 'Return an animal to an earlier state',
  description:
    'Gives an animal the values that it had before or after an entry of its history. A deleted animal comes back under its own id. ' +
    'Without `If-Match`, the change applies to any state of the animal.',
  body: Type.Object({
    entryId: Type.BigInt({ description: 'The entry of its history.', rule: 'the id of an entry in its history' }),
    state: oneOf(pets.SIDES, 'Whether it returns to its state before the entry, or to the one after it.'),
  }),
  response: PetJson,
  errors: ['conflict'],
  hasETag: true,
  namesEntry: true,
  ifMatch: 'optional',
  examples: { rex: { id: 1, body: { entryId: 12, state: 'before' }, response: REX } },
  async handle(request) {
    const { call, context, id, body } = request
    const { entryId, state: side } = body
    const { store } = context
    const found = await store.findPet(BigInt(id))
    refuseMismatch(call, found ? petEtag(found) : '')
    return answerChanged(await labelPet(store, await pets.restorePet(context, id, found, { entryId, side })), request)
  },
})

function answerChanged(pet: LabelledPet & pets.PetAfterAction, { headers }: Request) {
  nameEntry(headers, pet.entryId)
  return taggedPetJson(pet)
}

function nameEntry(headers: string[], entryId: bigint | undefined): void {
  if (entryId !== undefined) headers.push(ENTRY_HEADER, String(entryId))
}

/**
 * Changes an animal if it matches `If-Match`. If someone else changes it between our read and our write, the condition has failed, unless
 * it is `*`: then we read again. Each retry means that another change succeeded.
 */
async function changeIfMatch<Result>(
  call: Call,
  { store }: AdminContext,
  petId: string,
  change: (found: Pet) => Promise<Result>,
): Promise<Result> {
  for (;;) {
    const found = await pets.findPet(store, petId)
    requireMatch(call, petEtag(found))
    try {
      return await change(found)
    } catch (error) {
      if (!(error instanceof UserError && error.kind === 'conflict')) throw error
      if (!matchesAnything(call)) throw new Refusal('precondition_failed', error.message)
    }
  }
}

export function parseStatuses(status: string | undefined): PetStatus[] | undefined {
  return status === undefined ? undefined : (status.split(',') as PetStatus[])
}

export const PETS = {
  ...{ searchPets, searchDeletedPets, countPets, addPet, readPet, correctPet, deletePet, restorePet },
  readPetHistory,
}
