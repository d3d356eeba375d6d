import type { IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import type { Caller } from '../domain/account.ts'
import { isWellFormedKey } from '../domain/api-key.ts'
import type { Deployment } from '../domain/deployment.ts'
import { Refusal } from '../domain/errors.ts'
import type { Decision } from '../domain/rate-limiter.ts'
import { hashSecret } from '../domain/secret.ts'
import type { Store } from '../domain/store.ts'
import { type Awaitable, whenReady } from '../http/awaitable.ts'
import { countHeader } from '../http/headers.ts'
import type { AnonymousCalls } from './anonymous-calls.ts'

/** How many callers are kept in memory; the store has the others. */
const REMEMBERED_CALLERS = 10_000
/** Of how many keys it is remembered that nobody has them. */
const REMEMBERED_UNKNOWN = 1_000
/** More than any key needs: a header may be padded with spaces. */
const LONGEST_REMEMBERED = 128

/** Finds out who calls. A call without a valid key is counted on its client's address. */
export type Authenticate = (request: IncomingMessage, now: number) => Awaitable<Caller | Stranger>

/** Whoever brings no valid key: why it is not valid, and how the address stands. */
export interface Stranger {
  refusal: Refusal
  decision: Decision
}

/**
 * Contract, "Authentication"; RFC 6750. To the outside all keys that do not work look alike: missing_api_key or invalid_api_key.
 *
 * Anyone can make up well-formed keys, checksum and all, so a look-up is paid for: an address that has used up its allowance is
 * refused without one. Keys that this process has seen working need not pay.
 */
export function buildAuthenticate(store: Store, deployment: Deployment, anonymous: AnonymousCalls): Authenticate {
  /** By the whole header: who has called before is known again without parsing or hashing, until any caller changes. */
  const callers = new LRUCache<string, { caller: Caller; revision: number }>({ max: REMEMBERED_CALLERS })
  /** By the same, at which revision a key was unknown. */
  const unknown = new LRUCache<string, number>({ max: REMEMBERED_UNKNOWN })
  /** Look-ups under way, by the same: many calls at once ask the store once. */
  const underway = new Map<string, { caller: Promise<Caller | undefined>; revision: number }>()

  function remembered(header: string): Caller | undefined {
    const known = callers.get(header)
    return known && known.revision === store.revision().callers ? known.caller : undefined
  }

  function lookUp(header: string, key: string): Promise<Caller | undefined> {
    const revision = store.revision().callers
    const begun = underway.get(header)
    if (begun?.revision === revision) return begun.caller
    const caller = find(header, key, revision).finally(() => {
      if (underway.get(header)?.caller === caller) underway.delete(header)
    })
    underway.set(header, { caller, revision })
    return caller
  }

  async function find(header: string, key: string, revision: number): Promise<Caller | undefined> {
    const caller = await store.findCaller(hashSecret(key))
    if (header.length > LONGEST_REMEMBERED) return caller
    if (caller) {
      callers.set(header, { caller, revision })
    } else {
      callers.delete(header)
      unknown.set(header, revision)
    }
    return caller
  }

  async function identify(request: IncomingMessage, header: string, now: number): Promise<Caller | Stranger> {
    const key = /^Bearer +(\S+)$/i.exec(header)?.[1]
    if (key === undefined) return refuse(request, invalidKey('no bearer credential'), now)
    if (!isWellFormedKey(key, deployment)) return refuse(request, invalidKey('no key of this deployment'), now)
    if (unknown.get(header) === store.revision().callers) return refuse(request, invalidKey('unknown'), now)
    if (callers.has(header)) {
      const caller = await lookUp(header, key)
      return caller ? unlessInvalid(request, caller, now) : refuse(request, invalidKey('unknown'), now)
    }
    let caller: Caller | undefined
    const decision = await anonymous.consumeUnlessKnown(request, now, async () => {
      caller = remembered(header) ?? (await lookUp(header, key))
      return caller !== undefined
    })
    // Another call may have shown meanwhile that the key is valid.
    caller ??= remembered(header)
    if (caller) return unlessInvalid(request, caller, now)
    return { refusal: invalidKey('unknown'), decision: decision as Decision }
  }

  function unlessInvalid(request: IncomingMessage, caller: Caller, now: number): Awaitable<Caller | Stranger> {
    const reason = whyInvalid(caller, now)
    return reason === undefined ? caller : refuse(request, invalidKey(reason), now)
  }

  function refuse(request: IncomingMessage, refusal: Refusal, now: number): Awaitable<Stranger> {
    return whenReady(anonymous.consume(request, now), decision => ({ refusal, decision }))
  }

  return (request, now) => {
    const { authorization } = request.headers
    if (authorization === undefined) return refuse(request, missingKey(), now)
    if (countHeader(request, 'authorization') > 1) {
      return refuse(request, invalidKey('two Authorization headers'), now)
    }
    const caller = remembered(authorization)
    return caller ? unlessInvalid(request, caller, now) : identify(request, authorization, now)
  }
}

function whyInvalid({ keyId, accountId, revokedAt, suspendedAt, expiresAt }: Caller, now: number): string | undefined {
  if (revokedAt !== undefined) return `key ${keyId} is revoked`
  if (suspendedAt !== undefined) return `account ${accountId} is suspended`
  return expiresAt !== undefined && expiresAt <= now ? `key ${keyId} has expired` : undefined
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
