import type { ToastManagerAddOptions, UseToastManagerReturnValue } from '@base-ui/react/toast'

type Manager = Pick<UseToastManagerReturnValue, 'add' | 'close'>

let manager: Manager | undefined
let waiting: ((manager: Manager) => void)[] = []
let lastId = 0

/** Reports an event from anywhere. An action, such as "Undo", is offered while the toast is shown. */
export const toasts = {
  /** @returns its id */
  add(toast: Omit<ToastManagerAddOptions<object>, 'id'>): string {
    lastId += 1
    const id = String(lastId)
    whenShown(({ add }) => add({ ...toast, id }))
    return id
  },

  close(id: string): void {
    whenShown(({ close }) => close(id))
  },
}

/**
 * Shows the waiting toasts, then all new ones.
 * @returns a function that stops it
 */
export function showToasts(shown: Manager): () => void {
  manager = shown
  for (const step of waiting) step(shown)
  waiting = []
  return () => {
    manager = undefined
  }
}

/** Delays a step until the list is loaded, which happens after the screen. */
function whenShown(step: (manager: Manager) => void): void {
  if (manager) step(manager)
  else waiting.push(step)
}
