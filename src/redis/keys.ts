import { createHmac } from 'node:crypto'
import type { AnimalStore } from '../domain/store/animals.ts'

/**
 * The keys of one store, different from those of any other store in the same Redis. The part in braces decides which node of a cluster
 * holds a key (Redis cluster specification, hash tags), so a suffix after the braces does not move it.
 */
export function keysOf({ cursorSecret }: Pick<AnimalStore, 'cursorSecret'>) {
  // A hash, because keys in Redis must not reveal the secret.
  const storeId = createHmac('sha256', cursorSecret).update('keys in Redis').digest('base64url').slice(0, 16)
  const key = (subject: string) => `petstore:{${storeId}:${subject}}`
  return {
    account: (id: bigint) => key(String(id)),
    address: (address: string) => key(`address:${address}`),
    /** The channel on which instances learn that something has changed in the store. */
    news: key('news'),
    /** Not the key of any account; used to test whether Redis works. */
    trial: key('trial'),
  }
}

/** A key that tests whether the node that holds another key can be written. Releases up to 1.1 have text under `:probe`. */
export function probeKeyOf(key: string): string {
  return `${key}:trial`
}
