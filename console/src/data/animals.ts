import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  useMutation,
  useMutationState,
  useQueryClient,
} from '@tanstack/react-query'
import { type Answer, call } from '../api/call.ts'
import type { Pet, PetEvent, PetPreview, PetStatus, PetTotals } from '../api/schema.ts'
import { pagesOf } from './pages.ts'

/** The filters, named as in the API. */
export interface AnimalFilter {
  name?: string | undefined
  id?: string | undefined
  /** One or more, separated by commas. */
  status?: string | undefined
  categoryId?: string | undefined
}

export interface AnimalChange {
  name?: string
  /** Text that is not a number is sent unchanged: the service explains what is wrong. */
  categoryId?: bigint | string
  status?: PetStatus
}

export type Selected =
  | { ids: bigint[] }
  | { filter: { name?: string; status?: string[]; categoryId?: bigint | string } }

type Pages = InfiniteData<Answer<Pet[]>>

/** A list with more pages than this is not refreshed automatically. */
const MAX_REFETCHED_PAGES = 5

export function animalsQuery(filter: AnimalFilter, sort: 'newest' | 'oldest') {
  const isShort = ({ state }: { state: { data: { pages: unknown[] } | undefined } }) =>
    (state.data?.pages.length ?? 0) <= MAX_REFETCHED_PAGES
  return infiniteQueryOptions({
    ...pagesOf<Pet>('/pets', { ...filter, sort }),
    // Comparing every loaded row with itself would take longer with each page.
    structuralSharing: false,
    refetchOnWindowFocus: isShort,
  })
}

export function totalsQuery({ name, categoryId }: AnimalFilter) {
  const query = { name, categoryId }
  return queryOptions({
    queryKey: ['/pets/totals', query],
    queryFn: async ({ signal }) => (await call<PetTotals>('GET', '/pets/totals', { query, signal })).value,
    placeholderData: previous => previous,
  })
}

export function animalQuery(id: string) {
  return queryOptions({
    queryKey: [pathOf(id), {}],
    queryFn: ({ signal }) => readAnimal(id, signal),
  })
}

/** Reads the animal again after a conflict, which shows that the cached version is stale. */
export function conflictQuery({ animal, change }: Correction) {
  return queryOptions({
    queryKey: ['conflict', animal, change],
    queryFn: ({ signal }) => readAnimal(animal.id, signal),
    staleTime: 0,
    gcTime: 0,
  })
}

export function historyQuery(id: string) {
  return pagesOf<PetEvent>(`${pathOf(id)}/history`, {}, 20)
}

export function previewQuery(selected: Selected) {
  return queryOptions({
    queryKey: ['/pets/bulk/preview', selected],
    queryFn: async ({ signal }) =>
      (await call<PetPreview>('POST', '/pets/bulk/preview', { body: selected, signal })).value,
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
  const client = useQueryClient()
  return useMutation({
    mutationKey: CORRECTING,
    mutationFn: async ({ animal, change }: Correction) =>
      (await call<Pet>('PATCH', pathOf(animal.id), { body: change, ifMatch: animal.etag })).value,
    onSuccess: corrected => showAnimal(client, corrected),
  })
}

/** The corrections in flight. */
export function useUnansweredCorrections(): Correction[] {
  return useMutationState({
    filters: { mutationKey: CORRECTING, status: 'pending' },
    select: ({ state }) => state.variables as Correction,
  })
}

export function useAddAnimal() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (animal: AnimalChange) => (await call<Pet>('POST', '/pets', { body: animal })).value,
    onSuccess: () => refreshAnimals(client),
  })
}

type BulkAction = { kind: 'correct'; change: AnimalChange } | { kind: 'delete' }

/** Changes all animals of a preview, or none. Returns how many were changed. */
export function useBulkAction() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ selected, version, action }: { selected: Selected; version: string; action: BulkAction }) => {
      if (action.kind === 'correct') {
        const body = { ...selected, version, change: action.change }
        return (await call<{ changed: number }>('POST', '/pets/bulk/correct', { body })).value.changed
      }
      return (await call<{ deleted: number }>('POST', '/pets/bulk/delete', { body: { ...selected, version } })).value
        .deleted
    },
    onSuccess: () => refreshAnimals(client),
  })
}

/** Updates an animal everywhere it is shown. Lists keep their order and scroll position. */
export function showAnimal(client: QueryClient, animal: Pet): void {
  changeRows(client, rows => (has(rows, animal.id) ? rows.map(row => (row.id === animal.id ? animal : row)) : rows))
  client.setQueryData(animalQuery(String(animal.id)).queryKey, animal)
  void client.invalidateQueries({ queryKey: [`${pathOf(animal.id)}/history`] })
  refreshCounts(client)
}

/** Removes a deleted animal from the lists. */
export function hideAnimal(client: QueryClient, id: bigint): void {
  changeRows(client, rows => (has(rows, id) ? rows.filter(row => row.id !== id) : rows))
  client.removeQueries({ queryKey: [pathOf(id)] })
  refreshCounts(client)
}

/** Reloads whatever may have changed. A long list is cut to its first page: reloading all of it would take too long. */
export function refreshAnimals(client: QueryClient): void {
  client.setQueriesData<Pages>({ queryKey: ['/pets'] }, data => {
    if (!data || data.pages.length <= MAX_REFETCHED_PAGES) return data
    const { pages, pageParams } = data
    return { pages: pages.slice(0, MAX_REFETCHED_PAGES), pageParams: pageParams.slice(0, MAX_REFETCHED_PAGES) }
  })
  void client.invalidateQueries({ predicate: ({ queryKey: [path] }) => String(path).startsWith('/pets') })
  void client.invalidateQueries({ queryKey: ['/categories'] })
}

function refreshCounts(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: ['/pets/totals'] })
  void client.invalidateQueries({ queryKey: ['/categories'] })
}

function changeRows(client: QueryClient, change: (rows: Pet[]) => Pet[]): void {
  client.setQueriesData<Pages>({ queryKey: ['/pets'] }, data => {
    if (!data) return data
    const pages = data.pages.map(page => {
      const value = change(page.value)
      return value === page.value ? page : { ...page, value }
    })
    return { ...data, pages }
  })
}

async function readAnimal(id: string | bigint, signal: AbortSignal): Promise<Pet> {
  return (await call<Pet>('GET', pathOf(id), { signal })).value
}

function pathOf(id: string | bigint): string {
  return `/pets/${encodeURIComponent(String(id))}`
}

function has(rows: Pet[], id: bigint): boolean {
  return rows.some(row => row.id === id)
}
