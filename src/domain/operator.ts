import { UserError } from './errors.ts'
import { secretState, secretsOf } from './secret.ts'

/** `staff` can manage animals and read everything; `admin` can do everything. Each role includes the roles before it. */
export const ROLES = ['staff', 'admin'] as const

export type Role = (typeof ROLES)[number]

/** An operator's token as the store keeps it: only the SHA-256 of the token itself. Times are Unix milliseconds. */
export interface OperatorToken {
  id: bigint
  name: string
  role: Role
  /** The last characters of the token. */
  hint: string
  createdAt: number
  expiresAt: number | undefined
  revokedAt: number | undefined
}

export interface Operator {
  tokenId: bigint
  name: string
  role: Role
}

export const { generate: generateToken, isWellFormed: isWellFormedToken } = secretsOf('petstore_operator_')

export function isUsable(token: OperatorToken, now: number): boolean {
  return secretState(token, now) === 'active'
}

/** @throws UserError */
export function parseRole(text: string): Role {
  const role = ROLES.find(name => name === text)
  if (!role) throw new UserError('invalid', `There is no role "${text}"; choose one of ${ROLES.join(', ')}.`, 'role')
  return role
}
