import { useEffect, useId, useRef } from 'react'
import { createPortal } from 'react-dom'
import { SignInForm } from '../screens/sign-in/SignInScreen.tsx'
import '../screens/sign-in/sign-in.css'
import './session-ended.css'

/** A sign-in form over the screen, which keeps its input. It is a native dialog, so that it can be above any other. */
export function SessionEnded({ name }: { name: string }) {
  const titleId = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const { current } = dialog
    current?.showModal()
    // Esc would also close the dialogs below this one.
    const stop = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.preventDefault()
      event.stopPropagation()
    }
    addEventListener('keydown', stop, { capture: true })
    return () => {
      removeEventListener('keydown', stop, { capture: true })
      current?.close()
    }
  }, [])
  return createPortal(
    <dialog ref={dialog} className="session-ended sign-in" aria-labelledby={titleId} onCancel={e => e.preventDefault()}>
      <SignInForm>
        <h2 id={titleId}>Your session has ended</h2>
        <p>
          Sign in again as <bdi>{name}</bdi> to continue where you left off. Nothing you entered is lost. If someone
          else signs in, your input is discarded.
        </p>
      </SignInForm>
    </dialog>,
    document.body,
  )
}
