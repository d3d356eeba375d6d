import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { continueAs, signIn } from '../../data/session.ts'
import { useTitle } from '../../lib/use-title.ts'
import { Button } from '../../ui/Button.tsx'
import { Field } from '../../ui/Field.tsx'
import { Notice } from '../../ui/messages.tsx'
import './sign-in.css'

interface SignInProps {
  /** Why the sign-in link that opened the page did not work. */
  refusal?: string
}

/** Signs in with a token. A link from `petstore console` signs in before this screen would be shown. */
export function SignInScreen({ refusal }: SignInProps) {
  useTitle('Sign in')
  return (
    <main className="sign-in">
      <SignInForm refusal={refusal}>
        <header>
          <img src="../docs/icon.svg" alt="" width="44" height="44" />
          <h1>Sign in to Petstore</h1>
          <p>{location.host}</p>
        </header>
      </SignInForm>
    </main>
  )
}

interface SignInFormProps {
  /** Shown above the field, until someone tries to sign in. */
  refusal?: string | undefined
  /** The heading of the form. */
  children: ReactNode
}

export function SignInForm({ refusal, children }: SignInFormProps) {
  const client = useQueryClient()
  const [token, setToken] = useState('')
  const begin = useMutation({ mutationFn: signIn, onSuccess: session => continueAs(client, session) })
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        begin.mutate({ token: token.trim() })
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
      <p className="sign-in-other">
        No token? Run <code>petstore console</code> on the server. It prints a link that signs you in once.
      </p>
    </form>
  )
}
