import type { Deployment } from '../domain/deployment.ts'

/** What an inspection finds in a store of either kind. */
export interface StoreFacts {
  deployment: Deployment
  /** The number of migrations applied to it. */
  version: number
  /** The highest id ever given to an animal; 0 before the first. */
  newestPetId: bigint
  /** Admin tokens that are currently valid. */
  usableAdminTokens: number
  /** The newest time recorded anywhere, in Unix milliseconds. */
  newestTime: number | undefined
  /** The latest time at which the clock was known to be right, in Unix milliseconds. */
  clockConfirmedAt: number | undefined
}
