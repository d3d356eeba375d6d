import { type Answer, bodyOf, unexpected } from './answer.ts'
import { formatInt64, parseInt64 } from './int64.ts'
import { member } from './json.ts'
import type { Pet, PetStatus } from './openapi.ts'
import { PetPage, PetPages } from './page.ts'
import { randomId } from './random-id.ts'
import type { CallOptions, Transport } from './transport.ts'

export interface ListPetsOptions extends CallOptions {
  /** Only animals of this status. */
  status?: PetStatus | undefined
  /** How many animals a page has at most, from 1 to 100; the service's default is 20. */
  limit?: number | undefined
  /** Where to begin: the `nextCursor` of a page of the same status. */
  cursor?: string | undefined
}

/** An animal to add. */
export interface NewPetInput {
  /** 1 to 255 characters, kept as they are. */
  name: string
  /** A signed 64-bit integer; as a number, one up to 2^53. */
  categoryId: bigint | number
  /** `available` unless it is given. */
  status?: PetStatus | undefined
}

export interface CreatePetOptions extends CallOptions {
  /**
   * 1 to 255 visible ASCII characters. Whoever sends the same again within 24 hours, also from another process, gets the animal that
   * was made then. A random one unless it is given.
   */
  idempotencyKey?: string | undefined
}

/** The animals of the catalogue. */
export class Pets {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Lists animals by ascending id: await it for a page, iterate over it for all. */
  list(options: ListPetsOptions = {}): PetPages {
    return new PetPages(() => this.#loadPage(options))
  }

  /**
   * Adds an animal. The client sends it as often as it must, and it makes one animal. To repeat the call yourself, after an error of
   * whatever kind or in another process, give an `idempotencyKey`: each call without one makes an animal of its own.
   * @throws RangeError for a `categoryId` that is no int64, and an `idempotencyKey` that cannot be sent
   */
  async create({ name, categoryId, status }: NewPetInput, options: CreatePetOptions = {}): Promise<Pet> {
    const { idempotencyKey = randomId() } = options
    // No request can carry these, or not as they are. Of all else the service says what is wrong.
    if (/[^\x21-\x7e]/.test(idempotencyKey)) throw new RangeError('idempotencyKey must be visible ASCII characters.')
    const members = [
      `"categoryId":${formatInt64(categoryId, 'categoryId')}`,
      JSON.stringify({ name, status }).slice(1, -1),
    ]
    const headers = { 'content-type': 'application/json', 'idempotency-key': idempotencyKey }
    const request = { method: 'POST', path: '/pets', headers, body: `{${members.filter(Boolean).join(',')}}` } as const
    return petOfAnswer(await this.#transport.call(request, options))
  }

  /**
   * Reads one animal.
   * @deprecated The service removes this operation on 5 December 2030. Use `list` with the `status` filter.
   * @throws NotFoundError
   */
  async get(id: bigint | number, options: CallOptions = {}): Promise<Pet> {
    const request = { method: 'GET', path: `/pets/${formatInt64(id, 'id')}` } as const
    return petOfAnswer(await this.#transport.call(request, options))
  }

  async #loadPage(options: ListPetsOptions): Promise<PetPage> {
    const { status, limit, cursor } = options
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries({ limit, status, cursor })) {
      if (value !== undefined) query.set(name, String(value))
    }
    const path = query.size > 0 ? `/pets?${query}` : '/pets'
    const answer = await this.#transport.call({ method: 'GET', path }, options)
    const body = bodyOf(answer)
    if (!Array.isArray(body)) throw unexpected(answer)
    return new PetPage({
      pets: body.map(value => petOf(value, answer)),
      nextCursor: nextCursorOf(answer),
      next: cursor => this.list({ ...options, cursor }),
      signal: options.signal,
    })
  }
}

function petOfAnswer(answer: Answer): Pet {
  return petOf(bodyOf(answer), answer)
}

function petOf(value: unknown, answer: Answer): Pet {
  const id = parseInt64(member(value, 'id'))
  const name = member(value, 'name')
  const categoryId = parseInt64(member(value, 'categoryId'))
  const status = member(value, 'status')
  if (id === undefined || typeof name !== 'string' || categoryId === undefined || typeof status !== 'string') {
    throw unexpected(answer)
  }
  return { id, name, categoryId, status: status as PetStatus }
}

/**
 * Of the address in `Link` the cursor alone: the key is sent nowhere else than to the client's own base address. Every page has the header:
 * where it was taken off on the way, a walk must not end as if there were no more.
 */
function nextCursorOf(answer: Answer): string | undefined {
  const links = answer.headers.get('link')
  if (links === null) throw unexpected(answer)
  const address = /<([^>]*)>;\s*rel="next"/.exec(links)?.[1]
  if (address === undefined) return undefined
  const cursor = URL.parse(address)?.searchParams.get('cursor')
  if (!cursor) throw unexpected(answer)
  return cursor
}
