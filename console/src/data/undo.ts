import { fetchValue } from '../api/call.ts'
import type { Pet, Undo, UndoPreview } from '../api/schema.ts'
import { valueQuery } from './query.ts'
import { refreshAnimals, useCreate, useWrite } from './write.ts'

/** What undoing an entry of the audit log would do now. */
export function undoPreviewQuery(entryId: bigint) {
  return valueQuery<UndoPreview>(`/audit/${entryId}/undo`, {}, { staleTime: 0, gcTime: 0 })
}

export function useUndoEntry() {
  return useCreate<Undo, bigint>(entryId => [`/audit/${entryId}/undo`, {}], refreshAnimals)
}

/** Returns an animal to its state before an entry of its history. */
export function useRestore() {
  return useWrite(
    ({ petId, entryId }: { petId: string; entryId: bigint }) =>
      fetchValue<Pet>('POST', `/pets/${petId}/restore`, { body: { entryId, state: 'before' } }),
    refreshAnimals,
  )
}
