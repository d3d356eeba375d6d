import type { OperatorToken } from './operator.ts'
import { secretsOf } from './secret.ts'

/** Signs a browser in once, without its token. The store keeps the SHA-256 of its secret. Times are Unix milliseconds. */
export interface SignInLink {
  token: OperatorToken
  expiresAt: number
}

/** Long enough to switch to a browser. */
export const SIGN_IN_LINK_MS = 5 * 60_000

export const { generate: generateSignInLink, isWellFormed: isWellFormedSignInLink } = secretsOf('petstore_sign_in_')
