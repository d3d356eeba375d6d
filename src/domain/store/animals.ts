import type { WriteTerms } from '../account.ts'
import type { NewAuditEntry, PetOfEntry } from '../audit.ts'
import type { IdempotentRequest } from '../idempotency.ts'
import type { NewPet, Pet, PetStatus } from '../pet.ts'
import type { PetEvent } from '../pet-history.ts'
import type { PetFilter, PetPreview } from '../pet-selection.ts'
import type { Undo, UndoPreview, UndoRefusal } from '../pet-undo.ts'
import type { NewestPage, Page } from './page.ts'
import type { Revisions } from './revision.ts'

/** Port: the animals. */
export interface AnimalStore extends Revisions {
  /** Signs this deployment's cursors; created once, with the store. */
  readonly cursorSecret: Uint8Array
  /** Up to `limit` animals after `afterId`, by ascending id, and whether more follow. */
  listPets(query: PetQuery): Promise<PetPage>
  /**
   * Up to `limit` of the selected animals, in this order, and whether more follow. May take long, without delaying other calls. If the
   * signal is aborted while the search is queued, the search does not start and rejects with the signal's reason.
   */
  searchPets(query: PetSearch, signal?: AbortSignal): Promise<PetPage>
  /** The selected ones of the deleted animals, by their last values, as `searchPets` does. May take long, as a search does. */
  searchDeletedPets(search: PetSearch, signal?: AbortSignal): Promise<PetPage<DeletedPet>>
  /** The number of the selected animals of each status. May take long, as a search does. */
  countPets(filter: PetFilter, signal?: AbortSignal): Promise<PetCounts>
  /** The animals that a change of all selected animals would affect. May take long, as a search does. */
  previewPets(filter: PetFilter, signal?: AbortSignal): Promise<PetPreview>
  findPet(id: bigint): Promise<Pet | undefined>
  /**
   * Creates an animal, or finds that the same request has already created one. Ids increase from 1 and are never reused.
   * @param terms those of the caller's key, if it is a caller that creates the animal: checked in the transaction of the creation
   */
  createPet(pet: NewPet, now: number, request?: IdempotentRequest, terms?: WriteTerms): Promise<Creation>
  addPet(pet: NewPet, entry: NewAuditEntry): Promise<AddedPet>
  /**
   * Replaces `expected` with `corrected`, which has the same id; undefined if the animal is not, or no longer, as expected.
   * @returns the id of the entry, as `deletePet` and `bringBackPet` do
   */
  correctPet(expected: Pet, corrected: Pet, entry: NewAuditEntry): Promise<bigint | undefined>
  /** Undefined if the animal is not, or no longer, as expected. */
  deletePet(expected: Pet, entry: NewAuditEntry): Promise<bigint | undefined>
  /**
   * Changes all selected animals in one step if they are those of a preview with this version; undefined if they are not. Writes one audit
   * entry, or none if every animal already has the new values.
   */
  correctPets(
    filter: PetFilter,
    change: PetChange,
    version: string,
    entry: NewAuditEntry,
  ): Promise<ManyChanged | undefined>
  /** The same, for a deletion. */
  deletePets(filter: PetFilter, version: string, entry: NewAuditEntry): Promise<ManyChanged | undefined>
  /** What `undo` would do. May take long, as a search does. */
  previewUndo(entryId: bigint, signal?: AbortSignal): Promise<UndoPreview | UndoRefusal>
  /**
   * Undoes an entry of the audit log in one step: of its animals, those that have not changed since return to the state before it, deleted ones
   * under their own ids. Writes one entry, or nothing if it is refused.
   */
  undo(entryId: bigint, entry: NewAuditEntry): Promise<Undo | UndoRefusal>
  /** Adds an animal that was deleted again, under its own id. Undefined if there is an animal with this id. */
  bringBackPet(pet: Pet, entry: NewAuditEntry): Promise<bigint | undefined>
  /**
   * Counts and indexes the animals created or changed since the last run, so that totals and searches only have to read newer ones. Call it
   * regularly; results are the same without it, only slower.
   */
  indexPets(work: PetIndexing): Promise<void>
  /** The animals that an entry of the audit log changed, by ascending id. Undefined if there is no such entry. May take long, as a search does. */
  listPetsOfEntry(query: PetsOfEntryQuery, signal?: AbortSignal): Promise<PetOfEntry[] | undefined>
  /** What operators did to an animal, newest first, even if it no longer exists. May take long, as a search does. */
  listPetHistory(query: PetHistoryQuery, signal?: AbortSignal): Promise<PetEvent[]>

  /** The categories that have a label or animals, by ascending id. May take long, as a search does. */
  listCategories(query: CategoryQuery, signal?: AbortSignal): Promise<CategoryUse[]>
  /** The ones of these categories that have a label. */
  findCategories(ids: readonly bigint[]): Promise<Category[]>
  labelCategory(id: bigint, label: string, entry: NewAuditEntry): Promise<void>
  /** False if the category has no label. */
  unlabelCategory(id: bigint, entry: NewAuditEntry): Promise<boolean>
}

export interface PetQuery {
  status: PetStatus | undefined
  /** 0 for the first page. */
  afterId: bigint
  limit: number
}

export interface PetSearch extends PetFilter {
  /** By id; `oldest` first by default. */
  order?: PetOrder | undefined
  limit: number
}

export const PET_ORDERS = ['oldest', 'newest'] as const

export type PetOrder = (typeof PET_ORDERS)[number]

export type PetCounts = Record<PetStatus, number>

/** The new values of an animal; undefined members do not change. */
export type PetChange = { [Member in keyof NewPet]?: NewPet[Member] | undefined }

export interface AddedPet extends Pet {
  entryId: bigint
}

export interface ManyChanged {
  count: number
  /** The id of the entry. Undefined if no animal has changed. */
  entryId: bigint | undefined
}

export interface PetIndexing {
  /** If fewer animals than this are waiting, they are left for later. */
  minAnimals: number
  /** The time limit for counting, and the same again for indexing. */
  maxMs: number
}

export interface PetsOfEntryQuery extends Page {
  entryId: bigint
}

export interface PetHistoryQuery extends NewestPage {
  petId: bigint
}

export interface Category {
  id: bigint
  label: string
}

export interface CategoryUse {
  id: bigint
  label: string | undefined
  animals: number
}

export interface CategoryQuery {
  /** Part of the label; case and accents are ignored. */
  label?: string | undefined
  afterId?: bigint | undefined
  limit: number
}

/** A deleted animal as it was last. It can come back. */
export interface DeletedPet extends Pet {
  /** The audit entry of its deletion. */
  entryId: bigint
  /** Unix milliseconds. */
  deletedAt: number
  deletedBy: string
}

export interface PetPage<One extends Pet = Pet> {
  pets: One[]
  hasMore: boolean
}

export type Creation =
  | { outcome: 'created'; pet: Pet }
  /** The same request has already been carried out; `pet` is as it was then. */
  | { outcome: 'replayed'; pet: Pet }
  /** The key was used for another body. */
  | { outcome: 'mismatch' }
  | { outcome: 'in_progress' }
  /** The caller's key may no longer write, or its terms have changed. */
  | { outcome: 'not_permitted' }
