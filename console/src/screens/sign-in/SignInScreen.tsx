import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { signIn } from '../../data/session.ts'
import { useTitle } from '../../lib/use-title.ts'
import { Button } from '../../ui/Button.tsx'
import { Field } from '../../ui/Field.tsx'
import { Notice } from '../../ui/states.tsx'
import './sign-in.css'
import '../../shell/session-ended.css'

/** Signs in with a token. A link from `petstore console` signs in before this screen would be shown. */
export function SignInScreen({ refusal }: Pick<SignInFormProps, 'refusal'>) {
  useTitle('Sign in')
  return (
    <main className="sign-in">
      <SignInForm refusal={refusal}>
        <header>
          <img src="../docs/icon.svg" alt="" width="44" height="44" />
          <h1>Sign in to Petstore</h1>
          <p className="muted">{location.host}</p>
        </header>
      </SignInForm>
    </main>
  )
}

interface SignInFormProps {
  /** Why the sign-in link that opened the page did not work. Shown above the field, until someone tries to sign in. */
  refusal?: string | undefined
  /** The heading of the form. */
  children: ReactNode
}

function SignInForm({ refusal, children }: SignInFormProps) {
  const client = useQueryClient()
  const [token, setToken] = useState('')
  const begin = useMutation({ mutationFn: (token: string) => signIn(client, token) })
  return (
    <form
      className="box is-raised"
      onSubmit={event => {
        event.preventDefault()
        begin.mutate(token.trim())
      }}
    >
      {children}
      {refusal && begin.isIdle && <Notice tone="danger">{refusal}</Notice>}
      {/* Password managers want a name to keep the token under. */}
      <input
        className="visually-hidden"
        name="username"
        autoComplete="username"
        value="operator"
        readOnly
        tabIndex={-1}
        aria-hidden="true"
      />
      <Field
        label="Operator token"
        name="token"
        type="password"
        autoComplete="current-password"
        required
        value={token}
        onChange={event => setToken(event.target.value)}
        error={begin.error?.message}
        hint="An administrator can create one for you."
      />
      <Button kind="primary" type="submit" isBusy={begin.isPending}>
        Sign in
      </Button>
      <p className="sign-in-other hint">
        No token? Run <code>petstore console</code> on the server. It prints a link that signs you in once.
      </p>
    </form>
  )
}

/** A sign-in form over the screen, which keeps its input. It is a native dialog, so that it can be above any other. */
export function SessionEnded({ name }: { name: string }) {
  const titleId = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const { current } = dialog
    current?.showModal()
    // It would be the name, which is only for password managers.
    current?.querySelector<HTMLElement>('[name="token"]')?.focus()
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
