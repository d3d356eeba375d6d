import type { ToastManagerAddOptions, UseToastManagerReturnValue } from '@base-ui/react/toast'

type Manager = Pick<UseToastManagerReturnValue, 'add' | 'close'>

let manager: Manager | undefined
let waiting: ((manager: Manager) => void)[] = []
let lastId = 0

/** Reports what has happened, from anywhere. An action, such as "Undo", is offered as long as the toast is shown. */
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
 * Shows all toasts from now on, and first those that have waited.
 * @returns a function that ends this
 */
export function showToasts(shown: Manager): () => void {
  manager = shown
  for (const step of waiting) step(shown)
  waiting = []
  return () => {
    manager = undefined
  }
}

/** The list is loaded after the screen. Toasts that are added before wait for it. */
function whenShown(step: (manager: Manager) => void): void {
  if (manager) step(manager)
  else waiting.push(step)
}
