import type { IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import type { Caller } from '../domain/account.ts'
import { hashKey, isWellFormedKey } from '../domain/api-key.ts'
import type { Deployment } from '../domain/deployment.ts'
import { Refusal } from '../domain/errors.ts'
import type { Store } from '../domain/store.ts'
import { countHeader } from './headers.ts'

/** How many callers are kept in memory; the store has the others. */
const REMEMBERED_CALLERS = 10_000

export type Authenticate = (request: IncomingMessage, now: number) => Promise<Caller>

/**
 * Tells who calls (contract, "Authentication"; RFC 6750). The checksum is checked before anything is looked up, so that guessing
 * costs the store nothing; all keys that do not work look alike to the outside.
 * @throws Refusal missing_api_key, invalid_api_key
 */
export function buildAuthenticate(store: Store, deployment: Deployment): Authenticate {
  /** By the whole header: who has called before is known again without parsing or hashing. Emptied whenever a caller changes. */
  const callers = new LRUCache<string, Caller>({ max: REMEMBERED_CALLERS })
  let revision = store.revision().callers

  async function find(header: string): Promise<Caller> {
    const current = store.revision().callers
    if (current !== revision) {
      callers.clear()
      revision = current
    }
    const remembered = callers.get(header)
    if (remembered) return remembered
    const key = bearerKey(header)
    if (!isWellFormedKey(key, deployment)) throw invalidKey('no key of this deployment')
    const caller = await store.findCaller(hashKey(key))
    if (!caller) throw invalidKey('unknown')
    if (store.revision().callers === current) callers.set(header, caller)
    return caller
  }

  return async (request, now) => {
    const { authorization } = request.headers
    if (authorization === undefined) throw missingKey()
    if (countHeader(request, 'authorization') > 1) throw invalidKey('two Authorization headers')
    const caller = await find(authorization)
    if (caller.revokedAt !== undefined) throw invalidKey(`key ${caller.keyId} is revoked`)
    if (caller.expiresAt !== undefined && caller.expiresAt <= now) throw invalidKey(`key ${caller.keyId} has expired`)
    return caller
  }
}

function bearerKey(header: string): string {
  const key = /^Bearer +(\S+)$/i.exec(header)?.[1]
  if (key === undefined) throw invalidKey('no bearer credential')
  return key
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
