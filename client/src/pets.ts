import { type Answer, bodyOf, unexpected } from './answer.ts'
import { formatInt64 } from './int64.ts'
import type { Pet, PetStatus } from './openapi.ts'
import { PetPage, PetPages } from './page.ts'
import { parsePet } from './pet.ts'
import { type CallOptions, randomId, type Transport } from './transport.ts'

export interface ListPetsOptions extends CallOptions {
  /** Only animals with this status. */
  status?: PetStatus | undefined
  /** Maximum number of animals on a page, from 1 to 100. The service's default is 20. */
  limit?: number | undefined
  /** Where to start: the `nextCursor` of a page with the same `status`. */
  cursor?: string | undefined
}

/** A new animal. */
export interface NewPetInput {
  /** 1 to 255 characters, stored unchanged. */
  name: string
  /** A signed 64-bit integer; pass a bigint if it is beyond 2^53. */
  categoryId: bigint | number
  /** Default: `available`. */
  status?: PetStatus | undefined
}

export interface CreatePetOptions extends CallOptions {
  /**
   * 1 to 255 visible ASCII characters. A call with the same key within 24 hours, even from another process, returns the animal that was
   * created first. Default: a random key.
   */
  idempotencyKey?: string | undefined
}

/** The animals in the catalogue. */
export class Pets {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Lists animals in order of id. Await the result to get one page, or iterate over it to get all animals. */
  list(options: ListPetsOptions = {}): PetPages {
    return new PetPages(() => this.#loadPage(options))
  }

  /**
   * Creates an animal. Retries by the client never create a second one. To repeat the call yourself, after any error or in another
   * process, pass an `idempotencyKey`: each call without one creates another animal.
   * @throws RangeError if `categoryId` is not an int64, or `idempotencyKey` cannot be sent
   */
  async create({ name, categoryId, status }: NewPetInput, options: CreatePetOptions = {}): Promise<Pet> {
    // Not only if it is undefined: null would be sent as the key "null", the same for all creations.
    const idempotencyKey = options.idempotencyKey ?? randomId()
    // Other characters cannot be sent unchanged. Everything else is validated by the service.
    if (/[^\x21-\x7e]/.test(idempotencyKey)) throw new RangeError('idempotencyKey must be visible ASCII characters.')
    const others = JSON.stringify({ name, status }).slice(1, -1)
    const body = `{"categoryId":${formatInt64(categoryId, 'categoryId')}${others && ','}${others}}`
    const headers = { 'content-type': 'application/json', 'idempotency-key': idempotencyKey }
    const request = { method: 'POST', path: '/pets', headers, body } as const
    return petOfAnswer(await this.#transport.call(request, options))
  }

  /**
   * Gets one animal.
   * @deprecated The service will remove this operation on 5 December 2030. Use `list` with the `status` filter.
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
      nextCursor: nextCursorOf(answer, cursor),
      next: cursor => this.list({ ...options, cursor }),
      signal: options.signal,
    })
  }
}

function petOfAnswer(answer: Answer): Pet {
  return petOf(bodyOf(answer), answer)
}

function petOf(value: unknown, answer: Answer): Pet {
  const pet = parsePet(value)
  if (!pet) throw unexpected(answer)
  return pet
}

/**
 * Takes only the cursor from the address in `Link`, because the key must be sent to the client's own base address only. Every page has
 * this header. If a proxy has removed it, an iteration must not end as if this were the last page; and if a cache answers with an earlier page, it must
 * not go round forever.
 * @param own of the page that was requested
 */
function nextCursorOf(answer: Answer, own: string | undefined): string | undefined {
  const links = answer.headers.get('link')
  if (links === null) throw unexpected(answer)
  const address = /<([^<>]*)>;\s*rel="next"/.exec(links)?.[1]
  if (address === undefined) return undefined
  const cursor = URL.canParse(address) && new URL(address).searchParams.get('cursor')
  if (!cursor || cursor === own) throw unexpected(answer)
  return cursor
}
