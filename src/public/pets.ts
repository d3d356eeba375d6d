import { formatCursor, parseCursor } from '../domain/cursor.ts'
import { fingerprintOf, type IdempotentRequest } from '../domain/idempotency.ts'
import { INT64_MAX, parseInt64 } from '../domain/int64.ts'
import type { Pet, PetStatus } from '../domain/pet.ts'
import { readIdempotencyKey } from '../http/idempotency-key.ts'
import { Refusal } from '../http/refusal.ts'
import { SUNSET_DATE } from '../schema/deprecation.ts'
import { formatPet } from '../schema/format-pet.ts'
import { ListQuery, NewPet, PetId, Pet as PetJson, Pets } from '../schema/pet-schemas.ts'
import type { PublicCall } from './call.ts'
import { readWithKey, writeWithKey } from './operation.ts'

export const listPets = readWithKey('/pets', {
  id: 'listPets',
  query: ListQuery,
  status: 200,
  response: Pets,
  isPage: true,
  summary: 'List animals',
  description:
    'Returns a page of animals, sorted by ascending `id`. The `Link` header points to the next page; on the last page, it has no next link.',
  returns: 'A page of animals.',
  errors: ['invalid_cursor'],
  examples: {
    firstTwo: { query: { limit: 2 }, response: 'firstTwo' },
    sold: { query: { limit: 2, status: 'sold' }, response: 'sold' },
  },
  async handle({ store, baseUrl, query: { limit, status, cursor } }) {
    const position = cursor === undefined ? { status, afterId: 0n } : parseCursor(cursor, store.cursorSecret)
    if (!position || position.status !== status) throw new Refusal('invalid_cursor')
    const { pets, hasMore } = await store.listPets({ status, afterId: position.afterId, limit })
    const lastId = hasMore ? (pets.at(-1) as Pet).id : undefined
    const links = [`<${baseUrl}/pets?${search({ limit, status })}>; rel="first"`]
    if (lastId !== undefined) {
      const next = formatCursor({ status, afterId: lastId }, store.cursorSecret)
      links.unshift(`<${baseUrl}/pets?${search({ limit, status, cursor: next })}>; rel="next"`)
    }
    return {
      json: `[${pets.map(formatPet).join(',')}]`,
      link: links.join(', '),
      openTo: lastId ?? INT64_MAX,
    }
  },
})

export const createPet = writeWithKey('/pets', {
  id: 'createPet',
  body: NewPet,
  status: 201,
  response: PetJson,
  isIdempotent: true,
  summary: 'Add an animal',
  description:
    'Adds an animal, and responds once it is stored durably. With an `Idempotency-Key`, you can safely repeat the call.',
  returns: 'The new animal, with its `id`.',
  examples: {
    available: { body: 'newPet', response: 'addedPet' },
    sold: { body: 'newSoldPet', response: 'addedSoldPet' },
  },
  async handle({ call, store, baseUrl, permittedWrite, body, bytes }) {
    const request = idempotentRequest(call, bytes)
    const creation = await permittedWrite(call, terms => store.createPet(body, call.now, request, terms))
    if (creation.outcome === 'in_progress') throw new Refusal('idempotency_in_progress')
    if (creation.outcome === 'mismatch') throw new Refusal('idempotency_key_reused')
    const location = ['Location', `${baseUrl}/pets/${creation.pet.id}`]
    const replayed = creation.outcome === 'replayed' ? ['Idempotency-Replayed', 'true'] : []
    return { json: formatPet(creation.pet), headers: [...location, ...replayed] }
  },
})

export const getPet = readWithKey('/pets/{petId}', {
  id: 'getPet',
  parameter: PetId,
  status: 200,
  response: PetJson,
  isDeprecated: true,
  summary: 'Get an animal',
  description:
    `Returns one animal. **Deprecated:** this operation will be removed on ${SUNSET_DATE}, and will then return 410. ` +
    'Use `GET /pets` with the `status` filter instead.',
  returns: 'The animal.',
  errors: ['pet_not_found'],
  examples: { rex: { parameter: 1, response: 'rex' }, pet_not_found: { parameter: 4711 } },
  async handle({ store, parameter }) {
    const id = parseInt64(parameter)
    const pet = id === undefined ? undefined : await store.findPet(id)
    if (!pet) throw new Refusal('pet_not_found', `No animal has the id ${parameter.slice(0, 40)}.`)
    return { json: formatPet(pet), openTo: 0n }
  },
})

/** @throws Refusal invalid_idempotency_key */
function idempotentRequest({ request, caller }: PublicCall, body: Uint8Array): IdempotentRequest | undefined {
  const key = readIdempotencyKey(request)
  if (key === undefined || !caller) return undefined
  return { accountId: caller.accountId, key, fingerprint: fingerprintOf(body) }
}

/** The query of a page. None of its values needs percent-encoding. */
function search({ limit, status, cursor }: { limit: number; status: PetStatus | undefined; cursor?: string }): string {
  const filter = status === undefined ? '' : `&status=${status}`
  return `limit=${limit}${filter}${cursor === undefined ? '' : `&cursor=${cursor}`}`
}
