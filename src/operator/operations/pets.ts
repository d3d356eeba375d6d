import { Type } from 'typebox'
import type { Acting } from '../../domain/administration/acting.ts'
import { addPet, correctPet, deletePet, findPet } from '../../domain/administration/pets.ts'
import { Mistake, Refusal } from '../../domain/errors.ts'
import type { Pet as Animal, NewPet as NewAnimal } from '../../domain/pet.ts'
import type { Call } from '../../http/call.ts'
import { etagOf, matchesAnything, requireMatch } from '../../http/conditional.ts'
import { formatJson } from '../../http/exact-json.ts'
import { NewPet, Pet, PetStatus, Pets } from '../../http/schemas.ts'
import { signalOf } from '../client-left.ts'
import { type AdminOperation, defineOperation } from '../operation.ts'
import { AFTER, pageReply } from '../page.ts'

const { name, categoryId } = NewPet.properties

const PetSearch = Type.Object({
  name: Type.Optional(
    Type.String({ description: 'A part of the name, in whatever case.', minLength: 1, rule: 'a part of a name' }),
  ),
  status: Type.Optional(PetStatus),
  categoryId: Type.Optional(categoryId),
  id: Type.Optional(Type.BigInt({ description: 'Exactly this animal.', rule: 'an id' })),
  ...AFTER,
})

const AnimalToAdd = Type.Object(NewPet.properties, { description: 'An animal to add.' })

const PetChange = Type.Object(
  { name: Type.Optional(name), categoryId: Type.Optional(categoryId), status: Type.Optional(PetStatus) },
  { description: 'What is to be different; what is left out stays as it is.' },
)

const tag = 'Animals'

export const petOperations: readonly AdminOperation[] = [
  defineOperation({
    id: 'searchPets',
    method: 'GET',
    path: '/pets',
    tag,
    summary: 'List and search animals',
    description: 'All conditions must be met. Ascending by id.',
    role: 'staff',
    query: PetSearch,
    status: 200,
    answer: Pets,
    isPage: true,
    async handle({ call, acting, query: { after, limit, ...search } }) {
      const wanted = { name: undefined, status: undefined, categoryId: undefined, id: undefined, ...search }
      const { pets } = await acting.store.searchPets({ ...wanted, afterId: after, limit: limit + 1 }, signalOf(call))
      return pageReply(call, { limit, edge: 'after' }, pets, pet => pet)
    },
  }),
  defineOperation({
    id: 'addPet',
    method: 'POST',
    path: '/pets',
    tag,
    summary: 'Add an animal',
    role: 'staff',
    body: AnimalToAdd,
    status: 201,
    answer: Pet,
    etag: 'given',
    async handle({ acting, body }) {
      const pet = await addPet(acting, body as NewAnimal)
      return { value: pet, headers: ['Location', `/admin/v1/pets/${pet.id}`, 'ETag', etagOf(formatJson(pet))] }
    },
  }),
  defineOperation({
    id: 'readPet',
    method: 'GET',
    path: '/pets/{petId}',
    tag,
    summary: 'Read one animal',
    role: 'staff',
    status: 200,
    answer: Pet,
    etag: 'given',
    refusals: ['not_found'],
    async handle({ acting, parameter }) {
      const pet = await findPet(acting.store, parameter)
      return { value: pet, headers: ['ETag', etagOf(formatJson(pet))] }
    },
  }),
  defineOperation({
    id: 'correctPet',
    method: 'PATCH',
    path: '/pets/{petId}',
    tag,
    summary: 'Correct an animal',
    description:
      '`If-Match` must bear the `ETag` of the animal as you saw it, so that nobody overwrites what another has done.',
    role: 'staff',
    body: PetChange,
    status: 200,
    answer: Pet,
    etag: 'wanted',
    refusals: ['not_found'],
    async handle({ call, acting, parameter, body }) {
      const pet = await changeAsSeen(call, acting, parameter, seen => correctPet(acting, seen, definedOf(body)))
      return { value: pet, headers: ['ETag', etagOf(formatJson(pet))] }
    },
  }),
  defineOperation({
    id: 'deletePet',
    method: 'DELETE',
    path: '/pets/{petId}',
    tag,
    summary: 'Delete an animal',
    description: 'For good; its id is never used again. `If-Match` as for a correction.',
    role: 'staff',
    status: 204,
    etag: 'wanted',
    refusals: ['not_found'],
    async handle({ call, acting, parameter }) {
      await changeAsSeen(call, acting, parameter, seen => deletePet(acting, seen))
      return {}
    },
  }),
]

/**
 * Changes an animal if it is as `If-Match` says. What someone else did between our look and our change is what that is about; where any
 * state will do, we look again. Each further look means that another's change was made: it ends when theirs do, or with the animal.
 */
async function changeAsSeen<Result>(
  call: Call,
  { store }: Acting,
  petId: string,
  change: (seen: Animal) => Promise<Result>,
): Promise<Result> {
  for (;;) {
    const seen = await findPet(store, petId)
    requireMatch(call, etagOf(formatJson(seen)))
    try {
      return await change(seen)
    } catch (error) {
      if (!(error instanceof Mistake && error.kind === 'conflict')) throw error
      if (!matchesAnything(call)) throw new Refusal('precondition_failed', error.message)
    }
  }
}

function definedOf(change: { [Member in keyof NewAnimal]?: NewAnimal[Member] | undefined }): Partial<NewAnimal> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as Partial<Animal>
}
