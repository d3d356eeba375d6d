import type { Pet } from '../../api/schema.ts'
import { sentence } from '../../ui/sentence.ts'
import { addToast } from '../../ui/toasts.ts'

/** Reports a correction that failed after its field was closed. */
export function reportUnchanged(animal: Pet, error: Error): void {
  addToast({
    title: sentence`${animal.name} was not changed`,
    description: error.message,
    type: 'error',
  })
}
