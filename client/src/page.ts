import type { Pet } from './openapi.ts'

interface LoadedPage {
  pets: readonly Pet[]
  nextCursor: string | undefined
  /** Loads the page after a cursor. */
  next(cursor: string): PromiseLike<PetPage>
  /** Stops an iteration that starts with this page. */
  signal: AbortSignal | undefined
}

/** One page of animals, in order of id. Iterating over it continues to the last page. */
export class PetPage implements AsyncIterable<Pet> {
  readonly pets: readonly Pet[]
  /** The start of the next page, for `list({ cursor })`; undefined on the last page. It does not expire. */
  readonly nextCursor: string | undefined
  readonly #next: (cursor: string) => PromiseLike<PetPage>
  readonly #signal: AbortSignal | undefined

  constructor({ pets, nextCursor, next, signal }: LoadedPage) {
    this.pets = pets
    this.nextCursor = nextCursor
    this.#next = next
    this.#signal = signal
  }

  /** Loads the next page; undefined on the last page. */
  async next(): Promise<PetPage | undefined> {
    return this.nextCursor === undefined ? undefined : this.#next(this.nextCursor)
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Pet> {
    for (let page: PetPage | undefined = this; page; page = await page.next()) {
      for (const pet of page.pets) {
        this.#signal?.throwIfAborted()
        yield pet
      }
    }
  }
}

// biome-ignore lint/suspicious/noExplicitAny: as in Promise
type OnError<Failure> = ((error: any) => Failure | PromiseLike<Failure>) | null

/**
 * The result of `list`. Await it to get one page, or iterate over it with `for await` to get all animals from that page to the last.
 * Nothing is sent before that, and the page is loaded only once: to start over, call `list` again.
 */
export class PetPages implements Promise<PetPage>, AsyncIterable<Pet> {
  readonly [Symbol.toStringTag] = 'PetPages'
  readonly #load: () => Promise<PetPage>
  #page: Promise<PetPage> | undefined

  constructor(load: () => Promise<PetPage>) {
    this.#load = load
  }

  // biome-ignore lint/suspicious/noThenProperty: it can be awaited
  then<Result = PetPage, Failure = never>(
    onPage?: ((page: PetPage) => Result | PromiseLike<Result>) | null,
    onError?: OnError<Failure>,
  ): Promise<Result | Failure> {
    this.#page ??= this.#load()
    return this.#page.then(onPage, onError)
  }

  catch<Failure = never>(onError?: OnError<Failure>): Promise<PetPage | Failure> {
    return this.then(undefined, onError)
  }

  finally(onEnd?: (() => void) | null): Promise<PetPage> {
    return this.then().finally(onEnd)
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Pet> {
    yield* await this
  }
}
