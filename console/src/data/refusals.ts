import type { Refusal } from '../api/schema.ts'
import { valueQuery } from './query.ts'

/** The path of a key or an account. */
export type RefusalOwner = `/keys/${string}` | `/accounts/${string}`

const FRESH_MS = 15_000

/** The last refused and failed calls, newest first. No event reports new ones. */
export function refusalsQuery(owner: RefusalOwner) {
  return valueQuery<Refusal[]>(`${owner}/refusals`, {}, { refetchInterval: FRESH_MS })
}
