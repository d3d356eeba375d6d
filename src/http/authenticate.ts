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
  const callers = new LRUCache<string, Caller>({ max: REMEMBERED_CALLERS })
  let revision = store.revision().callers

  async function find(key: string): Promise<Caller | undefined> {
    const current = store.revision().callers
    if (current !== revision) {
      callers.clear()
      revision = current
    }
    const hash = hashKey(key)
    const remembered = callers.get(hash)
    if (remembered) return remembered
    const caller = await store.findCaller(hash)
    if (caller && store.revision().callers === current) callers.set(hash, caller)
    return caller
  }

  return async (request, now) => {
    const key = bearerKey(request)
    if (!isWellFormedKey(key, deployment)) throw invalidKey('no key of this deployment')
    const caller = await find(key)
    if (!caller) throw invalidKey('unknown')
    if (caller.revokedAt !== undefined) throw invalidKey(`key ${caller.keyId} is revoked`)
    if (caller.expiresAt !== undefined && caller.expiresAt <= now) throw invalidKey(`key ${caller.keyId} has expired`)
    return caller
  }
}

function bearerKey(request: IncomingMessage): string {
  const header = request.headers.authorization
  if (header === undefined) {
    throw new Refusal('missing_api_key', 'An API key is needed: send "Authorization: Bearer <API_KEY>".', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    })
  }
  if (countHeader(request, 'authorization') > 1) throw invalidKey('two Authorization headers')
  const key = /^Bearer +(\S+)$/i.exec(header)?.[1]
  if (key === undefined) throw invalidKey('no bearer credential')
  return key
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
