import { Toast } from '@base-ui/react/toast'
import './toasts.css'

/** Reports what has happened, from anywhere. An action, such as "Undo", is offered as long as the toast is shown. */
export const toasts = Toast.createToastManager()

export function Toasts() {
  return (
    <Toast.Provider toastManager={toasts} timeout={6_000}>
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function ToastList() {
  return Toast.useToastManager().toasts.map(toast => (
    <Toast.Root key={toast.id} toast={toast} className="toast" data-kind={toast.type}>
      <Toast.Content className="toast-content">
        <div>
          <Toast.Title className="toast-title" />
          <Toast.Description className="toast-description" />
        </div>
        {toast.actionProps && <Toast.Action className="button toast-action" />}
        <Toast.Close className="button button-quiet" aria-label="Dismiss">
          ✕
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ))
}
