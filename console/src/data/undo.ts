import { call } from '../api/call.ts'
import type { Pet, Undo, UndoPreview } from '../api/schema.ts'
import { refreshAnimals } from './animals.ts'
import { queryOf } from './query.ts'
import { cacheKey } from './query-keys.ts'
import { refresh, useCreate, useWrite } from './write.ts'

/** What undoing an entry of the audit log would do now. */
export function undoPreviewQuery(entryId: bigint) {
  return queryOf({
    queryKey: cacheKey('audit', 'undo', String(entryId)),
    queryFn: async ({ signal }) => (await call<UndoPreview>('GET', `/audit/${entryId}/undo`, { signal })).value,
    staleTime: 0,
    gcTime: 0,
  })
}

/** Undoes an entry of the audit log. */
export function useUndoEntry() {
  return useCreate(
    async (entryId: bigint, { idempotencyKey }) =>
      (await call<Undo>('POST', `/audit/${entryId}/undo`, { body: {}, idempotencyKey })).value,
    client => {
      refreshAnimals(client)
      refresh(client, 'audit')
    },
  )
}

/** Returns an animal to its state before an entry of its history. */
export function useRestore() {
  return useWrite(
    async ({ petId, entryId }: { petId: string; entryId: bigint }) =>
      (await call<Pet>('POST', `/pets/${petId}/restore`, { body: { entryId, state: 'before' } })).value,
    refreshAnimals,
  )
}
