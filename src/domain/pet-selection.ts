import { createHash } from 'node:crypto'
import type { Pet, PetStatus } from './pet.ts'

/** Selects the animals that meet all conditions. What is undefined does not matter. */
export interface PetFilter {
  /** A part of the name, in any case and without accents. */
  name?: string | undefined
  statuses?: readonly PetStatus[] | undefined
  categoryId?: bigint | undefined
  ids?: readonly bigint[] | undefined
  /** Only animals with a higher id. */
  afterId?: bigint | undefined
  /** Only animals with a lower id. */
  beforeId?: bigint | undefined
}

/** A change of more animals than this would hold up the creation of new ones. */
export const MAX_PETS_CHANGED = 10_000

/** The most ids that a selection can list. */
export const MAX_SELECTED_IDS = 1_000

/** How many animals a preview shows. */
export const PREVIEW_SAMPLE_SIZE = 20

/** The animals that a change would touch. */
export interface PetPreview {
  /** At most MAX_PETS_CHANGED + 1: of more, only that is known. */
  count: number
  /** Changes with every animal that becomes a part of the selection, leaves it or changes. */
  version: string
  /** The first PREVIEW_SAMPLE_SIZE of them, by ascending id. */
  sample: Pet[]
  /** Those of the selected ids that no selected animal has. */
  missingIds: bigint[]
}

/** @param pets the selected animals by ascending id, at most MAX_PETS_CHANGED + 1 of them */
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
  for (const { id, name, categoryId, status } of pets) hash.update(`${id} ${categoryId} ${status} ${name}\n`)
  return hash.digest('base64url')
}
