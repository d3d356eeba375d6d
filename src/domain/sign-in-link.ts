import type { Deployment } from './deployment.ts'
import type { OperatorToken } from './operator.ts'
import { generateSecret, isWellFormedSecret } from './secret.ts'

/** Signs a browser in once, without its token. The store keeps the SHA-256 of its secret. Times are Unix milliseconds. */
export interface SignInLink {
  token: OperatorToken
  expiresAt: number
}

/** Long enough to switch to a browser. */
export const SIGN_IN_LINK_MS = 5 * 60_000

const PREFIXES: Record<Deployment, string> = {
  production: 'petstore_sign_in_live_',
  staging: 'petstore_sign_in_test_',
}

export function generateSignInLink(deployment: Deployment): string {
  return generateSecret(PREFIXES[deployment])
}

/** Whether a text can be the secret of a link of this deployment. */
export function isWellFormedSignInLink(text: string, deployment: Deployment): boolean {
  return isWellFormedSecret(text, PREFIXES[deployment])
}
