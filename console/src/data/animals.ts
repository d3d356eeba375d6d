import { type QueryClient, queryOptions, useMutationState } from '@tanstack/react-query'
import { call, fetchValue, isGone } from '../api/call.ts'
import type { ChangedPets, DeletedPet, DeletedPets, Pet, PetEvent, PetPreview } from '../api/schema.ts'
import type { Texts } from '../lib/search.ts'
import { type Pages, pagesOf, valueQuery } from './query.ts'
import { cacheKey } from './query-keys.ts'
import { refreshAnimals, useCreate, useWrite } from './write.ts'

/** The filters, named as in the API. There may be several statuses, separated by commas. */
export type AnimalFilter = Texts<'name' | 'id' | 'status' | 'categoryId'>

/** Text that is not the number of a category is sent unchanged: the service explains what is wrong. */
export type AnimalState = Omit<NonNullable<PetEvent['after']>, 'categoryId'> & { categoryId: bigint | string }
export type AnimalChange = Partial<AnimalState>

export type Selected =
  | { ids: bigint[] }
  | { filter: { name?: string; status?: string[]; categoryId?: bigint | string } }

type Order = 'newest' | 'oldest'

export function animalsQuery(filter: AnimalFilter, sort: Order) {
  return pagesOf<Pet>('/pets', { ...filter, sort })
}

/** Deleted animals, by their last values. */
export function deletedAnimalsQuery(filter: AnimalFilter, sort: Order) {
  return pagesOf<DeletedPet>('/pets/deleted', { ...filter, sort })
}

export function animalQuery(id: string) {
  return valueQuery<Pet>(pathOf(id))
}

export function historyQuery(id: string) {
  return pagesOf<PetEvent>(`${pathOf(id)}/history`, {}, 20)
}

export function previewQuery(selected: Selected) {
  return queryOptions({
    queryKey: cacheKey('/pets/bulk/preview', selected),
    queryFn: ({ signal }) => fetchValue<PetPreview>('POST', '/pets/bulk/preview', { body: selected, signal }),
    staleTime: 0,
    gcTime: 0,
  })
}

/** A correction of an animal, based on the version that the operator saw. */
export interface Correction {
  animal: Pet
  change: AnimalChange
}

const CORRECTING = ['correct animal']

export function useCorrectAnimal() {
  return useWrite(
    ({ animal, change }: Correction) =>
      fetchValue<Pet>('PATCH', pathOf(animal.id), { body: change, ifMatch: animal.etag }),
    (client, corrected) => corrected && showAnimal(client, corrected),
    CORRECTING,
  )
}

export function useUnansweredCorrections(): Correction[] {
  return useMutationState({
    filters: { mutationKey: CORRECTING, status: 'pending' },
    select: ({ state }) => state.variables as Correction,
  })
}

export function useAddAnimal() {
  return useCreate<Pet, AnimalChange>(body => ['/pets', body], refreshAnimals)
}

/** Deletes the version of an animal that the operator saw. It may already be gone: then no entry of the audit log is known. */
export function useDeleteAnimal() {
  return useWrite(
    async ({ id, etag }: Pet) => {
      const answer = await call('DELETE', pathOf(id), { ifMatch: etag }).catch(error => {
        if (!isGone(error)) throw error
      })
      return { id, entryId: answer?.entryId }
    },
    (client, deleted) => (deleted ? hideAnimal(client, deleted.id) : refreshAnimals(client)),
  )
}

interface BulkAction {
  selected: Selected
  version: string
  /** Without one, they are deleted. */
  change: AnimalChange | undefined
}

/** Changes all animals of a preview, or none. Returns how many were changed, and the entry of the audit log. */
export function useBulkAction() {
  return useWrite(async ({ selected, version, change }: BulkAction) => {
    const path = `/pets/bulk/${change ? 'correct' : 'delete'}`
    const body = { ...selected, version, change }
    const done = await fetchValue<ChangedPets | DeletedPets>('POST', path, { body })
    return { count: 'changed' in done ? done.changed : done.deleted, entryId: done.entryId }
  }, refreshAnimals)
}

export function readAnimal(id: bigint): Promise<Pet> {
  return fetchValue('GET', pathOf(id))
}

/** Updates an animal everywhere it is shown. Lists keep their order and scroll position. */
export function showAnimal(client: QueryClient, animal: Pet): void {
  changeRows(client, rows => rows.map(row => (row.id === animal.id ? animal : row)))
  client.setQueryData(animalQuery(String(animal.id)).queryKey, animal)
  void client.invalidateQueries({ queryKey: historyQuery(String(animal.id)).queryKey })
  refreshCounts(client)
}

export function hideAnimal(client: QueryClient, id: bigint): void {
  changeRows(client, rows => rows.filter(row => row.id !== id))
  const { queryKey } = animalQuery(String(id))
  client.removeQueries({ queryKey, type: 'inactive' })
  // An open one is about to close: if it were removed, it would be read once more.
  void client.invalidateQueries({ queryKey, refetchType: 'none' })
  void client.invalidateQueries({ queryKey: cacheKey('/pets/deleted') })
  refreshCounts(client)
}

function refreshCounts(client: QueryClient): void {
  for (const path of ['/pets/totals', '/categories'] as const) {
    void client.invalidateQueries({ queryKey: cacheKey(path) })
  }
}

function changeRows(client: QueryClient, change: (rows: Pet[]) => Pet[]): void {
  client.setQueriesData<Pages<Pet>>(
    { queryKey: cacheKey('/pets', 'pages') },
    data => data && { ...data, pages: data.pages.map(page => ({ ...page, value: change(page.value) })) },
  )
}

function pathOf(id: string | bigint): `/pets/${string}` {
  return `/pets/${encodeURIComponent(String(id))}`
}
