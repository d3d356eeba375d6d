import type { IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import type { Caller } from '../domain/account.ts'
import { isWellFormedKey } from '../domain/api-key.ts'
import type { Deployment } from '../domain/deployment.ts'
import { hashSecret } from '../domain/secret.ts'
import type { AccountStore } from '../domain/store/accounts.ts'
import { type Address, buildIsWithin } from '../http/address.ts'
import { type Awaitable, whenReady } from '../http/awaitable.ts'
import { readBearer, SENT_TWICE } from '../http/bearer.ts'
import type { ClientAddress } from '../http/client-address.ts'
import { Refusal } from '../http/refusal.ts'
import { countHeader } from '../http/request-headers.ts'
import { KnownKeys } from './known-keys.ts'

/** How many callers are cached; the others are read from the store. */
const MAX_CACHED_CALLERS = 10_000
/** More than any key needs: a header may be padded with spaces. */
const MAX_CACHED_LENGTH = 128

/** Both functions return the caller, or the reason for refusing the call. */
export interface Authentication {
  authenticate(request: IncomingMessage, now: number): Awaitable<Caller | Refusal>
  /** Reads the store again, whatever is cached. */
  reauthenticate(request: IncomingMessage, now: number): Promise<Caller | Refusal>
}

/**
 * Contract, "Authentication"; RFC 6750. The response does not reveal why a key does not work: only missing_api_key or invalid_api_key, and
 * faults in the form of the header.
 * Anyone can make up a well-formed key with a valid checksum. Unknown keys are not looked up, so strangers cause no load on the store.
 */
export function buildAuthentication(
  store: AccountStore,
  deployment: Deployment,
  clientAddress: ClientAddress,
): Authentication {
  /** By the whole header, so that known callers need no parsing or hashing. Cleared whenever a caller changes. */
  const callers = new LRUCache<string, KnownCaller>({ max: MAX_CACHED_CALLERS })
  /** Lookups in progress, also by header: concurrent calls with the same header read the store only once. */
  const pending = new Map<string, Promise<KnownCaller | Refusal>>()
  const keys = new KnownKeys(store)
  let revision = store.revision().callers

  function remembered(header: string): KnownCaller | undefined {
    const current = store.revision().callers
    if (current !== revision) {
      callers.clear()
      pending.clear()
      revision = current
    }
    return callers.get(header)
  }

  function lookUp(header: string): Promise<KnownCaller | Refusal> {
    const begun = pending.get(header)
    if (begun) return begun
    const lookup = find(header).finally(() => {
      if (pending.get(header) === lookup) pending.delete(header)
    })
    pending.set(header, lookup)
    return lookup
  }

  async function find(header: string): Promise<KnownCaller | Refusal> {
    const { secret: key, fault } = readBearer(header)
    if (key === undefined) return malformedKey(fault)
    if (!isWellFormedKey(key, deployment)) return invalidKey('no key of this deployment')
    const hash = hashSecret(key)
    if (!(await keys.mayHave(hash))) return invalidKey('unknown')
    const before = store.revision().callers
    const caller = await store.findCaller(hash)
    if (!caller) {
      keys.delete(hash)
      return invalidKey('unknown')
    }
    const known = { caller, isFromNetworks: caller.networks && buildIsWithin(caller.networks) }
    if (store.revision().callers === before && header.length <= MAX_CACHED_LENGTH) callers.set(header, known)
    return known
  }

  /** The caller, if its key permits the call. */
  function examine(known: KnownCaller | Refusal, request: IncomingMessage, now: number): Caller | Refusal {
    if (known instanceof Refusal) return known
    const { caller, isFromNetworks } = known
    if (caller.revokedAt !== undefined) return invalidKey(`key ${caller.keyId} is revoked`)
    if (caller.suspendedAt !== undefined) return invalidKey(`account ${caller.accountId} is suspended`)
    const hasExpired = caller.expiresAt !== undefined && caller.expiresAt <= now
    if (hasExpired) return invalidKey(`key ${caller.keyId} has expired`)
    if (!isFromNetworks) return caller
    const address = clientAddress(request)
    if (address && isFromNetworks(address)) return caller
    return invalidKey(`key ${caller.keyId} is not allowed from ${address ?? 'an unknown address'}`)
  }

  return {
    authenticate(request, now) {
      const { authorization } = request.headers
      if (authorization === undefined) return new Refusal('missing_api_key')
      if (countHeader(request, 'authorization') > 1) return malformedKey(SENT_TWICE)
      const known = remembered(authorization) ?? lookUp(authorization)
      return whenReady(known, found => examine(found, request, now))
    },
    async reauthenticate(request, now) {
      return examine(await find(request.headers.authorization ?? ''), request, now)
    },
  }
}

interface KnownCaller {
  caller: Caller
  /** Undefined for a key that may call from anywhere. */
  isFromNetworks: ((address: Address) => boolean) | undefined
}

function invalidKey(reason: string): Refusal {
  return new Refusal('invalid_api_key', undefined, { reason })
}

/** The message depends on the form of the header alone, so it says nothing about any key. */
function malformedKey(fault: string): Refusal {
  const message = `The API key is not valid: ${fault}; send "Authorization: Bearer <API_KEY>".`
  return new Refusal('invalid_api_key', message, { reason: fault })
}
