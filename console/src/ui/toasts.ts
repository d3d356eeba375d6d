import type { ToastManagerAddOptions, UseToastManagerReturnValue } from '@base-ui/react/toast'
import type { ReactNode } from 'react'

type Add = UseToastManagerReturnValue['add']
type Toast = ToastManagerAddOptions<object> & { type?: 'error' }

let show: Add | undefined
let waiting: Toast[] = []

/** Reports an event from anywhere, as soon as the list of toasts is loaded. An action, such as "Open", is offered while the toast is shown. */
export function addToast(toast: Toast): void {
  if (show) show(toast)
  else waiting.push(toast)
}

/** Reports what failed outside of a dialog, which would show the error. */
export function addFailure(title: ReactNode, { message }: Error, more: Toast = {}): void {
  addToast({ title, description: message, type: 'error', ...more })
}

/**
 * Shows the waiting toasts, then all new ones.
 * @returns a function that stops it
 */
export function showToasts(add: Add): () => void {
  show = add
  for (const toast of waiting) add(toast)
  waiting = []
  return () => {
    show = undefined
  }
}
