import type { Pet } from '../../api/schema.ts'
import { toasts } from '../../ui/toasts.ts'

/** Reports a correction that failed after its field was closed. */
export function reportUnchanged(animal: Pet, error: Error): void {
  toasts.add({
    title: (
      <>
        <bdi>{animal.name}</bdi> was not changed
      </>
    ),
    description: error.message,
    type: 'error',
  })
}
