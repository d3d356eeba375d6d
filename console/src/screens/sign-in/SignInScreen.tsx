import { useTitle } from '../../lib/use-title.ts'
import { SignInForm } from './SignInForm.tsx'
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
