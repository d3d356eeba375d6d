import type { Deployment } from '../domain/deployment.ts'
import type { Query } from './statement.ts'

/** What an inspection finds in a store of either kind. */
export interface StoreFacts {
  deployment: Deployment
  /** The number of migrations applied to it. */
  version: number
  /** The highest id ever given to an animal; 0 before the first. */
  newestPetId: bigint
  usableAdminTokens: number
  /** The newest time recorded anywhere, in Unix milliseconds. */
  newestTime: number | undefined
  /** The latest time at which the clock was known to be right, in Unix milliseconds. */
  clockConfirmedAt: number | undefined
}

/** Who made a store: the actor of the first entry in its audit log, '' if its accounts or animals came before that log, null if it is empty. */
export const MAKER: Query<string | null> = {
  sql: `SELECT coalesce((SELECT actor FROM audit ORDER BY id LIMIT 1), (SELECT '' FROM account LIMIT 1), (SELECT '' FROM pet LIMIT 1)) AS maker`,
  values: [],
  resultOf: ([row]) => row?.maker as string | null,
}
