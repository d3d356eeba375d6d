import { invalid } from './errors.ts'
import { secretState, secretsOf } from './secret.ts'

/** The roles of people. `staff` can manage animals and read everything except tokens; `admin` can do everything. */
export const PEOPLE = ['staff', 'admin'] as const

/** Each role includes the roles before it. `feed` can send the file of one source, and nothing else. */
export const ROLES = ['feed', ...PEOPLE] as const

export type Role = (typeof ROLES)[number]

/** An operator's token as the store keeps it: only the SHA-256 of the token itself. Times are Unix milliseconds. */
export interface OperatorToken {
  id: bigint
  name: string
  role: Role
  /** The only source whose file it can send, if its role is `feed`. */
  source: string | undefined
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
  source: string | undefined
}

export const { generate: generateToken, isWellFormed: isWellFormedToken } = secretsOf('petstore_operator_')

export function isUsable(token: OperatorToken, now: number): boolean {
  return secretState(token, now) === 'active'
}

/** A role of people. @throws UserError */
export function parseRole(text: string): (typeof PEOPLE)[number] {
  const role = PEOPLE.find(name => name === text)
  if (!role) throw invalid(`There is no role "${text}"; choose one of ${PEOPLE.join(', ')}.`, 'role')
  return role
}
