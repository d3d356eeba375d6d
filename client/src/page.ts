import type { Pet } from './openapi.ts'

interface LoadedPage {
  pets: readonly Pet[]
  nextCursor: string | undefined
  /** Loads the page behind a cursor. */
  next(cursor: string): PromiseLike<PetPage>
  /** Ends a walk that goes on from here. */
  signal: AbortSignal | undefined
}

/** One page of animals, by ascending id. Iterating over it walks on to the last page. */
export class PetPage implements AsyncIterable<Pet> {
  readonly pets: readonly Pet[]
  /** Where the next page begins, for `list({ cursor })`; undefined on the last page. It may be kept: a walk can go on another day. */
  readonly nextCursor: string | undefined
  readonly #next: (cursor: string) => PromiseLike<PetPage>
  readonly #signal: AbortSignal | undefined

  constructor({ pets, nextCursor, next, signal }: LoadedPage) {
    this.pets = pets
    this.nextCursor = nextCursor
    this.#next = next
    this.#signal = signal
  }

  /** The page behind this one; undefined on the last page. */
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

// biome-ignore lint/suspicious/noExplicitAny: as every promise has it
type OnError<Failure> = ((error: any) => Failure | PromiseLike<Failure>) | null

/**
 * A page that has been asked for: awaited, it is the page; iterated over with `for await`, it is every animal on this page and all
 * behind it. Nothing is sent before one of the two, and the page is loaded once: to walk anew, list anew.
 */
export class PetPages implements Promise<PetPage>, AsyncIterable<Pet> {
  readonly [Symbol.toStringTag] = 'PetPages'
  readonly #load: () => Promise<PetPage>
  #page: Promise<PetPage> | undefined

  constructor(load: () => Promise<PetPage>) {
    this.#load = load
  }

  // biome-ignore lint/suspicious/noThenProperty: it is there to be awaited
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
