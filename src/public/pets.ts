import { LRUCache } from 'lru-cache'
import { formatCursor, parseCursor } from '../domain/cursor.ts'
import { Refusal } from '../domain/errors.ts'
import { fingerprintOf, type IdempotentRequest, isIdempotencyKey } from '../domain/idempotency.ts'
import { parseInt64 } from '../domain/int64.ts'
import type { Pet, PetStatus } from '../domain/pet.ts'
import type { Revision, Store } from '../domain/store.ts'
import { checkMediaType, readBody } from '../http/body.ts'
import type { Answer, Call } from '../http/call.ts'
import { etagOf, unlessNoneMatch } from '../http/conditional.ts'
import { countHeader } from '../http/headers.ts'
import { parseJson } from '../http/json.ts'
import { jsonAnswer } from '../http/json-answer.ts'
import { checkNewPet } from '../http/new-pet.ts'
import type { Operation, Route } from '../http/routes.ts'
import { deprecationHeaders, SUNSET_AT } from './deprecation.ts'
import { parseListQuery } from './query.ts'

interface Dependencies {
  store: Store
  /** The public base address, with /v1: what is written into `Link`. */
  baseUrl: string
}

/** The three operations of the public API. */
export function petRoutes(dependencies: Dependencies): Route[] {
  return [
    {
      path: '/v1/pets',
      operations: {
        GET: { id: 'listPets', handle: buildListPets(dependencies) },
        POST: {
          id: 'createPet',
          checkMediaType: ({ request }) => checkMediaType(request),
          handle: call => createPet(call, dependencies),
        },
      },
    },
    {
      path: '/v1/pets/{petId}',
      headers: deprecationHeaders(dependencies.baseUrl),
      operations: { GET: { id: 'getPet', handle: buildGetPet(dependencies) } },
    },
  ]
}

/** An answer that is kept for as long as it would be given again. */
interface Kept {
  answer: Answer
  etag: string
  /** Whether a new animal could change it. */
  isOpen: boolean
  revision: Revision
}

/** Built answers, in characters of up to two bytes: some 32 MB for each of the two operations that keep them. */
const KEPT_CHARACTERS = 16_777_216

function buildListPets({ store, baseUrl }: Dependencies): Operation['handle'] {
  const pages = new LRUCache<string, Kept>({ maxSize: KEPT_CHARACTERS, sizeCalculation: sizeOf })

  async function build(query: string): Promise<Kept> {
    const { limit, status, cursor } = parseListQuery(query)
    const position = cursor === undefined ? { status, afterId: 0n } : parseCursor(cursor, store.cursorSecret)
    if (!position || position.status !== status) {
      throw new Refusal(
        'invalid_cursor',
        'cursor must be taken from the Link header of the page before, with the same status.',
      )
    }
    const revision = store.revision()
    const { pets, hasMore } = await store.listPets({ status, afterId: position.afterId, limit })
    const links = [`<${baseUrl}/pets?${search({ limit, status })}>; rel="first"`]
    if (hasMore) {
      const next = formatCursor({ status, afterId: (pets.at(-1) as Pet).id }, store.cursorSecret)
      links.unshift(`<${baseUrl}/pets?${search({ limit, status, cursor: next })}>; rel="next"`)
    }
    const link = links.join(', ')
    const body = `[${pets.map(formatPet).join(',')}]`
    const etag = etagOf(link + body)
    return { answer: keptAnswer(body, etag, ['Link', link]), etag, isOpen: !hasMore, revision }
  }

  async function renew(call: Call, query: string): Promise<Answer> {
    const page = await build(query)
    pages.set(query, page)
    return unlessNoneMatch(call, page.etag, page.answer)
  }

  return call => {
    const query = call.target?.query ?? ''
    const page = pages.get(query)
    if (!page || isStale(page, store.revision())) return renew(call, query)
    return unlessNoneMatch(call, page.etag, page.answer)
  }
}

function buildGetPet({ store }: Pick<Dependencies, 'store'>): Operation['handle'] {
  const pets = new LRUCache<string, Kept>({ maxSize: KEPT_CHARACTERS, sizeCalculation: sizeOf })

  async function build(petId: string): Promise<Kept | undefined> {
    const revision = store.revision()
    const id = parseInt64(petId)
    const pet = id === undefined ? undefined : await store.findPet(id)
    if (!pet) return undefined
    const body = formatPet(pet)
    const etag = etagOf(body)
    return { answer: keptAnswer(body, etag), etag, isOpen: false, revision }
  }

  async function renew(call: Call, petId: string): Promise<Answer> {
    const kept = await build(petId)
    if (!kept) throw new Refusal('pet_not_found', `No animal has the id ${petId.slice(0, 40)}.`)
    pets.set(petId, kept)
    return unlessNoneMatch(call, kept.etag, kept.answer)
  }

  return (call, petId) => {
    if (call.now >= SUNSET_AT) {
      throw new Refusal(
        'operation_removed',
        'This operation was removed on 5 December 2030; use GET /pets with the status filter.',
      )
    }
    const kept = pets.get(petId)
    if (!kept || isStale(kept, store.revision())) return renew(call, petId)
    return unlessNoneMatch(call, kept.etag, kept.answer)
  }
}

async function createPet(call: Call, { store, baseUrl }: Dependencies): Promise<Answer> {
  const bytes = await readBody(call)
  const json = parseJson(bytes)
  if (json === null || typeof json !== 'object' || Array.isArray(json)) {
    throw new Refusal('invalid_body', 'The body must be a JSON object with the members name and categoryId.')
  }
  const pet = checkNewPet(json)
  const creation = await store.createPet(pet, call.now, idempotentRequest(call, bytes))
  switch (creation.outcome) {
    case 'in_progress':
      throw new Refusal('idempotency_in_progress', 'The same request is being carried out; retry in a second.', {
        headers: { 'Retry-After': '1' },
      })
    case 'mismatch':
      throw new Refusal(
        'idempotency_key_reused',
        'This Idempotency-Key was used with another body; use a new key for a new animal.',
      )
    default: {
      const location = ['Location', `${baseUrl}/pets/${creation.pet.id}`]
      const replayed = creation.outcome === 'replayed' ? ['Idempotency-Replayed', 'true'] : []
      return jsonAnswer(201, formatPet(creation.pet), [...location, ...replayed])
    }
  }
}

/** @throws Refusal invalid_idempotency_key */
function idempotentRequest({ request, caller }: Call, body: Uint8Array): IdempotentRequest | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined || !caller) return undefined
  if (typeof key !== 'string' || countHeader(request, 'idempotency-key') > 1 || !isIdempotencyKey(key)) {
    throw new Refusal(
      'invalid_idempotency_key',
      'Idempotency-Key must be 1 to 255 visible ASCII characters, sent once.',
    )
  }
  return { accountId: caller.accountId, key, fingerprint: fingerprintOf(body) }
}

/** An animal as JSON, its int64s digit for digit. */
function formatPet({ id, name, categoryId, status }: Pet): string {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`
}

function keptAnswer(body: string, etag: string, more: readonly string[] = []): Answer {
  return jsonAnswer(200, body, ['ETag', etag, 'Cache-Control', 'private, no-cache', ...more])
}

function isStale({ revision, isOpen }: Kept, now: Revision): boolean {
  if (isOpen && (now.newestPetId === undefined || revision.newestPetId !== now.newestPetId)) return true
  return revision.corrections !== now.corrections
}

/** Its key counts too: a query may be as long as its sender likes. */
function sizeOf({ answer }: Kept, key: string): number {
  return answer.body.length + key.length + 1_000
}

function search(parameters: { limit: number; status: PetStatus | undefined; cursor?: string }): URLSearchParams {
  return new URLSearchParams(
    Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )
}
