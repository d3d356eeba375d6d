import { createHmac } from 'node:crypto'
import type { Store } from '../domain/store.ts'

/** What counts in Redis, each by the name of its key. */
export interface Keys {
  account(id: bigint): string
  address(address: string): string
  /** Of no account: to try whether Redis can be used. */
  readonly trial: string
}

/**
 * The keys of one store: stores that share a Redis do not meet in it. The part in braces decides on which node of a cluster a key
 * is (Redis cluster specification, hash tags): whatever is added behind it stays there.
 */
export function keysOf({ cursorSecret }: Store): Keys {
  // The secret itself cannot be learned from it.
  const storeId = createHmac('sha256', cursorSecret).update('keys in Redis').digest('base64url').slice(0, 16)
  const key = (subject: string) => `petstore:{${storeId}:${subject}}`
  return { account: id => key(String(id)), address: address => key(`address:${address}`), trial: key('trial') }
}
