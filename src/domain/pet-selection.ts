import { createHash } from 'node:crypto'
import { describePet, type Pet, type PetStatus } from './pet.ts'

/** Selects the animals that match all conditions. Undefined conditions are ignored. */
export interface PetFilter {
  /** Part of the name; case and accents are ignored. */
  name?: string | undefined
  statuses?: readonly PetStatus[] | undefined
  categoryId?: bigint | undefined
  ids?: readonly bigint[] | undefined
  afterId?: bigint | undefined
  beforeId?: bigint | undefined
}

/** Changing more animals than this in one step would delay the creation of new ones. */
export const MAX_PETS_CHANGED = 10_000

export const MAX_SELECTED_IDS = 1_000

export const PREVIEW_SAMPLE_SIZE = 20

export interface PetPreview {
  /** At most MAX_PETS_CHANGED + 1, which stands for any higher number. */
  count: number
  /** Changes whenever an animal enters the selection, leaves it or changes. */
  version: string
  /** The first PREVIEW_SAMPLE_SIZE of them, in ascending order of id. */
  sample: Pet[]
  /** Selected ids that no selected animal has. */
  missingIds: bigint[]
}

/** @param pets the selected animals in ascending order of id, at most MAX_PETS_CHANGED + 1 of them */
export function previewOf(pets: readonly Pet[], { ids = [] }: PetFilter): PetPreview {
  const found = new Set(pets.map(({ id }) => id))
  return {
    count: pets.length,
    version: versionOf(pets),
    sample: pets.slice(0, PREVIEW_SAMPLE_SIZE),
    missingIds: [...new Set(ids)].filter(id => !found.has(id)),
  }
}

export function versionOf(pets: readonly Pet[]): string {
  const hash = createHash('sha256')
  for (const pet of pets) hash.update(`${pet.id} ${describePet(pet)}\n`)
  return hash.digest('base64url')
}
