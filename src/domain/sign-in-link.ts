import type { OperatorToken } from './operator.ts'
import { secretsOf } from './secret.ts'

/** Signs a browser in once, without its token. The store keeps the SHA-256 of its secret. Times are Unix milliseconds. */
export interface SignInLink {
  token: OperatorToken
  expiresAt: number
}

/** Five minutes: long enough to switch to a browser. */
export const OWN_LINK_SECONDS = 300
/** One minute. */
export const MIN_SIGN_IN_LINK_SECONDS = 60
/** Seven days. */
export const MAX_SIGN_IN_LINK_SECONDS = 604_800

export const { generate: generateSignInLink, isWellFormed: isWellFormedSignInLink } = secretsOf('petstore_sign_in_')
