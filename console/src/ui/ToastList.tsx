import { Toast } from '@base-ui/react/toast'
import { useEffect } from 'react'
import { Button } from './Button.tsx'
import { showToasts } from './toasts.ts'
import './toasts.css'

export function ToastList() {
  return (
    <Toast.Provider timeout={6_000}>
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function List() {
  const { toasts, add } = Toast.useToastManager()
  useEffect(() => showToasts(add), [add])
  return toasts.map(toast => (
    <Toast.Root key={toast.id} toast={toast} className="toast box is-raised" data-kind={toast.type}>
      <Toast.Content className="toast-content">
        <div>
          <Toast.Title className="toast-title" />
          <Toast.Description className="toast-description" />
        </div>
        {/* Once used, an action such as "Undo" is not offered again. */}
        {toast.actionProps && <Toast.Close render={<Button />} aria-hidden={false} {...toast.actionProps} />}
        <Toast.Close className="button button-quiet" aria-label="Dismiss">
          ✕
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ))
}
