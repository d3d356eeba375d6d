import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { sessionQuery, signIn } from '../../data/session.ts'
import { Button } from '../../ui/Button.tsx'
import { Field } from '../../ui/Field.tsx'
import './sign-in.css'

interface SignInProps {
  /** Why the link that opened the page did not sign in. */
  refusal?: string
}

/** Signs in with a token. A link that `petstore console` prints does it before this is shown. */
export function SignInScreen({ refusal }: SignInProps) {
  const client = useQueryClient()
  const [token, setToken] = useState('')
  const begin = useMutation({
    mutationFn: signIn,
    onSuccess: session => client.setQueryData(sessionQuery.queryKey, session),
  })

  return (
    <main className="sign-in">
      <form
        onSubmit={event => {
          event.preventDefault()
          begin.mutate({ token: token.trim() })
        }}
      >
        <h1>Sign in to Petstore</h1>
        {refusal && begin.isIdle && (
          <p className="sign-in-refusal" role="alert">
            {refusal}
          </p>
        )}
        <Field
          label="Operator token"
          name="token"
          type="password"
          autoComplete="current-password"
          required
          value={token}
          onChange={event => setToken(event.target.value)}
          error={begin.error?.message}
          hint="An administrator creates it with “petstore token create”."
        />
        <Button kind="primary" type="submit" isBusy={begin.isPending}>
          Sign in
        </Button>
        <p className="sign-in-other">
          On the machine of the service, <code>petstore console</code> prints a link that signs you in once, without a
          token.
        </p>
      </form>
    </main>
  )
}
