import { useQueryClient } from '@tanstack/react-query'
import { isConflict } from '../../api/errors.ts'
import type { Pet } from '../../api/schema.ts'
import { deleteLater, UNDO_MS, undoDeletion } from '../../data/deletions.ts'
import { toasts } from '../../ui/toasts.ts'
import { useAnimalsSearch } from './search.ts'
import { UndoLabel } from './UndoLabel.tsx'

/** Deletes an animal after a few seconds, during which that can be undone. */
export function useDeleteAnimal() {
  const client = useQueryClient()
  const { change } = useAnimalsSearch()
  return (animal: Pet) => {
    const toast = toasts.add({
      title: (
        <>
          <bdi>{animal.name}</bdi> is being deleted
        </>
      ),
      timeout: UNDO_MS,
      actionProps: {
        children: <UndoLabel until={Date.now() + UNDO_MS} />,
        onClick: () => undoDeletion(animal.id),
      },
    })
    deleteLater(client, animal, {
      onSettled: () => toasts.close(toast),
      onRefused: error =>
        toasts.add({
          title: (
            <>
              <bdi>{animal.name}</bdi> was not deleted
            </>
          ),
          description: isConflict(error)
            ? 'Someone else has changed it. Check it before you delete it.'
            : (error as Error).message,
          type: 'error',
          actionProps: { children: 'Open', onClick: () => change({ open: String(animal.id) }) },
        }),
    })
  }
}
