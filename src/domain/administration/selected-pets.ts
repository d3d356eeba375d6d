import type { GivenValues } from '../audit.ts'
import { conflict, notFound } from '../errors.ts'
import { formatNumber } from '../format-number.ts'
import { MAX_PETS_CHANGED, type PetFilter, type PetPreview } from '../pet-selection.ts'
import type { AnimalStore, ManyChanged, PetChange } from '../store/animals.ts'
import type { SourceStore } from '../store/sources.ts'
import { type LabelledPet, labelPets } from './categories.ts'
import { type AdminContext, entryOf } from './context.ts'

export interface SelectionPreview extends Omit<PetPreview, 'version' | 'sample'> {
  /** Required by `correctPets` and `deletePets`; undefined if these animals cannot be changed in one step. */
  version: string | undefined
  sample: LabelledPet[]
}

/** Shows which animals a change would affect. The change itself must be made with the version of this preview. */
export async function previewPets(
  store: AnimalStore & SourceStore,
  filter: PetFilter,
  signal?: AbortSignal,
): Promise<SelectionPreview> {
  const { count, version, sample, missingIds } = await store.previewPets(filter, signal)
  const isTooMany = count > MAX_PETS_CHANGED
  return {
    count: isTooMany ? await countPets(store, filter, signal) : count,
    version: isTooMany || missingIds.length > 0 ? undefined : version,
    sample: await labelPets(store, sample),
    missingIds,
  }
}

/** @throws UserError if its animals cannot be changed */
export function requireVersion({ count, version, missingIds }: SelectionPreview): string {
  if (version !== undefined) return version
  if (missingIds.length > 0) throw notFound(`There is no animal with id ${missingIds.slice(0, 10).join(', ')}.`)
  const [selected, max] = [count, MAX_PETS_CHANGED].map(formatNumber)
  throw conflict(`${selected} animals are selected; at most ${max} can be changed at once.`)
}

export async function correctPets(
  context: AdminContext,
  { filter, version, change }: { filter: PetFilter; version: string; change: PetChange },
): Promise<ManyChanged> {
  const entry = entryOf(context, 'pet.correct-many', { details: describe(filter), after: { ...change } })
  return (await context.store.correctPets(filter, change, version, entry)) ?? refuse()
}

export async function deletePets(
  context: AdminContext,
  { filter, version }: { filter: PetFilter; version: string },
): Promise<ManyChanged> {
  const entry = entryOf(context, 'pet.delete-many', { details: describe(filter) })
  return (await context.store.deletePets(filter, version, entry)) ?? refuse()
}

async function countPets(store: AnimalStore, filter: PetFilter, signal: AbortSignal | undefined): Promise<number> {
  const { available, pending, sold } = await store.countPets(filter, signal)
  return available + pending + sold
}

function refuse(): never {
  throw conflict(
    'Nothing was changed: the selected animals are not those of the preview with this version; preview them again.',
  )
}

/** Describes a selection without its ids, which may be many. The history of each animal has its earlier values. */
function describe({ ids: _, statuses, afterId, beforeId, ...others }: PetFilter): GivenValues {
  return { ...others, status: statuses?.join(','), after: afterId, before: beforeId }
}
