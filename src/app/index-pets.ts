import type { AnimalStore } from '../domain/store/animals.ts'

export const INDEX_EVERY_MS = 1_000

/** Fewer animals are read as quickly without an index. */
const MIN_ANIMALS = 1_000
/** A fortieth of the time for counting and one for indexing, as creations have to wait for them. */
const MAX_MS = 25
const MAX_MS_WHEN_QUIET = 500

/** The work that counts and indexes animals in the background. It gives way to creations while there are any. */
export function buildPetIndexing(store: AnimalStore): () => Promise<void> {
  let newestId: bigint | undefined
  return () => {
    const { newestPetId } = store.revision()
    const isQuiet = newestPetId === newestId
    newestId = newestPetId
    return store.indexPets({ minAnimals: MIN_ANIMALS, maxMs: isQuiet ? MAX_MS_WHEN_QUIET : MAX_MS })
  }
}
