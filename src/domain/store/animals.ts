import type { NewAuditEntry } from '../audit.ts'
import type { IdempotentRequest } from '../idempotency.ts'
import type { NewPet, Pet, PetStatus } from '../pet.ts'
import type { Revisions } from './revision.ts'

/** Port: the animals. */
export interface AnimalStore extends Revisions {
  /** Signs this deployment's cursors; made once, with the store. */
  readonly cursorSecret: Uint8Array
  /** Up to `limit` animals after `afterId`, by ascending id, and whether more follow. */
  listPets(query: PetQuery): Promise<PetPage>
  /**
   * The same, of the animals that match the whole query. May take long, without delaying other calls. A search that is still waiting
   * for its turn when the signal is aborted does not start: it rejects with the signal's reason.
   */
  searchPets(query: PetSearch, signal?: AbortSignal): Promise<PetPage>
  findPet(id: bigint): Promise<Pet | undefined>
  /** Creates an animal, or finds that the same request has already created one. Ids rise from 1 and are never used again. */
  createPet(pet: NewPet, now: number, request?: IdempotentRequest): Promise<Creation>
  /** Creates an animal for an operator. */
  addPet(pet: NewPet, entry: NewAuditEntry): Promise<Pet>
  /** Replaces `expected` by `corrected`, which has the same id; false if the animal is not, or no longer, as expected. */
  correctPet(expected: Pet, corrected: Pet, entry: NewAuditEntry): Promise<boolean>
  /** False if the animal is not, or no longer, as expected. */
  deletePet(expected: Pet, entry: NewAuditEntry): Promise<boolean>
}

export interface PetQuery {
  status: PetStatus | undefined
  /** 0 for the first page. */
  afterId: bigint
  limit: number
}

/** What is undefined does not matter. */
export interface PetSearch extends PetQuery {
  /** A part of the name, in any case. */
  name: string | undefined
  categoryId: bigint | undefined
  id: bigint | undefined
}

export interface PetPage {
  pets: Pet[]
  hasMore: boolean
}

export type Creation =
  | { outcome: 'created'; pet: Pet }
  /** The same request has already been carried out; `pet` is as it was then. */
  | { outcome: 'replayed'; pet: Pet }
  /** The key was used for another body. */
  | { outcome: 'mismatch' }
  /** The same request is being carried out right now. */
  | { outcome: 'in_progress' }
