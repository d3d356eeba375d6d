import type { IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import type { Caller } from '../domain/account.ts'
import { isWellFormedKey } from '../domain/api-key.ts'
import type { Deployment } from '../domain/deployment.ts'
import { Refusal } from '../domain/errors.ts'
import { hashSecret } from '../domain/secret.ts'
import type { Store } from '../domain/store.ts'
import { type Awaitable, whenReady } from '../http/awaitable.ts'
import { countHeader } from '../http/headers.ts'
import { KnownKeys } from './known-keys.ts'

/** How many callers are kept in memory; the store has the others. */
const REMEMBERED_CALLERS = 10_000
/** More than any key needs: a header may be padded with spaces. */
const LONGEST_REMEMBERED = 128

/** Tells who calls, or why that cannot be told. */
export type Authenticate = (request: IncomingMessage, now: number) => Awaitable<Caller | Refusal>

/**
 * Contract, "Authentication"; RFC 6750. To the outside all keys that do not work look alike: missing_api_key or invalid_api_key.
 * Anyone can make up a well-formed key, checksum and all. Such a key is not looked up, so that strangers cost the store nothing.
 */
export function buildAuthenticate(store: Store, deployment: Deployment): Authenticate {
  /** By the whole header: who has called before is known again without parsing or hashing. Emptied whenever a caller changes. */
  const callers = new LRUCache<string, Caller>({ max: REMEMBERED_CALLERS })
  /** Look-ups under way, by the same: many calls at once ask the store once. */
  const underway = new Map<string, Promise<Caller | Refusal>>()
  const keys = new KnownKeys(store)
  let revision = store.revision().callers

  function remembered(header: string): Caller | undefined {
    const current = store.revision().callers
    if (current !== revision) {
      callers.clear()
      underway.clear()
      revision = current
    }
    return callers.get(header)
  }

  function lookUp(header: string): Promise<Caller | Refusal> {
    const begun = underway.get(header)
    if (begun) return begun
    const lookup = find(header).finally(() => {
      if (underway.get(header) === lookup) underway.delete(header)
    })
    underway.set(header, lookup)
    return lookup
  }

  async function find(header: string): Promise<Caller | Refusal> {
    const key = /^Bearer +(\S+)$/i.exec(header)?.[1]
    if (key === undefined) return invalidKey('no bearer credential')
    if (!isWellFormedKey(key, deployment)) return invalidKey('no key of this deployment')
    const hash = hashSecret(key)
    if (!(await keys.mayHave(hash))) return invalidKey('unknown')
    const before = store.revision().callers
    const caller = await store.findCaller(hash)
    if (!caller) {
      keys.delete(hash)
      return invalidKey('unknown')
    }
    if (store.revision().callers === before && header.length <= LONGEST_REMEMBERED) callers.set(header, caller)
    return caller
  }

  return (request, now) => {
    const { authorization } = request.headers
    if (authorization === undefined) return missingKey()
    if (countHeader(request, 'authorization') > 1) return invalidKey('two Authorization headers')
    return whenReady(remembered(authorization) ?? lookUp(authorization), caller => {
      if (caller instanceof Refusal) return caller
      if (caller.revokedAt !== undefined) return invalidKey(`key ${caller.keyId} is revoked`)
      if (caller.suspendedAt !== undefined) return invalidKey(`account ${caller.accountId} is suspended`)
      const hasExpired = caller.expiresAt !== undefined && caller.expiresAt <= now
      return hasExpired ? invalidKey(`key ${caller.keyId} has expired`) : caller
    })
  }
}

function missingKey(): Refusal {
  return new Refusal('missing_api_key', 'An API key is needed: send "Authorization: Bearer <API_KEY>".', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  })
}

function invalidKey(reason: string): Refusal {
  return new Refusal(
    'invalid_api_key',
    'The API key is not valid here: send "Authorization: Bearer <API_KEY>" with a current key.',
    {
      headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
      reason,
    },
  )
}
