import type { AnimalStore } from '../domain/store/animals.ts'

export const INDEX_EVERY_MS = 1_000

/** With fewer animals, an index would not be faster. */
const MIN_ANIMALS = 1_000
/** Counting and indexing may each take 1/40 of the time, because creations have to wait for them. */
const MAX_MS = 25
const MAX_MS_WHEN_QUIET = 500

/** Returns the work that counts and indexes animals in the background. It takes less time while animals are being created. */
export function buildPetIndexing(store: AnimalStore): () => Promise<void> {
  let newestId: bigint | undefined
  return () => {
    const { newestPetId } = store.revision()
    const isQuiet = newestPetId === newestId
    newestId = newestPetId
    return store.indexPets({ minAnimals: MIN_ANIMALS, maxMs: isQuiet ? MAX_MS_WHEN_QUIET : MAX_MS })
  }
}
