import type { Deployment } from './deployment.ts'
import { Mistake } from './errors.ts'
import { generateSecret, isWellFormedSecret } from './secret.ts'

/** `staff` may work with animals and read everything; `admin` may do all. */
export const ROLES = ['staff', 'admin'] as const

export type Role = (typeof ROLES)[number]

/** What an operator signs in with, as the store keeps it: never the token, only its SHA-256. Times are Unix milliseconds. */
export interface OperatorToken {
  id: bigint
  /** Whose it is. */
  name: string
  role: Role
  /** The token's last characters. */
  hint: string
  createdAt: number
  expiresAt: number | undefined
  revokedAt: number | undefined
}

/** Who calls on the operators' side. */
export interface Operator {
  tokenId: bigint
  name: string
  role: Role
}

const PREFIXES: Record<Deployment, string> = {
  production: 'petstore_operator_live_',
  staging: 'petstore_operator_test_',
}

export function generateToken(deployment: Deployment): string {
  return generateSecret(PREFIXES[deployment])
}

/** Whether a text can be an operator's token of this deployment at all. */
export function isWellFormedToken(text: string, deployment: Deployment): boolean {
  return isWellFormedSecret(text, PREFIXES[deployment])
}

/** Whether the token lets its holder in at `now`. */
export function isUsable({ revokedAt, expiresAt }: OperatorToken, now: number): boolean {
  return revokedAt === undefined && (expiresAt === undefined || now < expiresAt)
}

/** @throws Mistake when there is no such role */
export function parseRole(text: string): Role {
  const role = ROLES.find(name => name === text)
  if (!role) throw new Mistake('invalid', `There is no role "${text}"; choose one of ${ROLES.join(', ')}.`)
  return role
}
