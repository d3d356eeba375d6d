import type { IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import type { Caller } from '../domain/account.ts'
import { isWellFormedKey } from '../domain/api-key.ts'
import type { Deployment } from '../domain/deployment.ts'
import { KeyedQueue } from '../domain/keyed-queue.ts'
import { hashSecret } from '../domain/secret.ts'
import type { AccountStore } from '../domain/store/accounts.ts'
import { type Address, buildIsWithin } from '../http/address.ts'
import { type Awaitable, whenReady } from '../http/awaitable.ts'
import { readBearer, SENT_TWICE } from '../http/bearer.ts'
import type { ClientAddress } from '../http/client-address.ts'
import { Refusal } from '../http/refusal.ts'
import { countHeader } from '../http/request-headers.ts'
import type { StrangerCall, Strangers } from './strangers.ts'

/** How many callers are cached; the others are read from the store. */
const MAX_CACHED_CALLERS = 10_000
/** More than any key needs: a header may be padded with spaces. */
const MAX_CACHED_LENGTH = 128

/** Each function returns the caller, or the reason for refusing the call. */
export interface Authentication {
  /** Notes which key it is. Counts the call against its address if its key was looked up in vain; other refused calls are still to be counted. */
  authenticate(call: StrangerCall): Awaitable<Caller | Refusal>
  /** Checks a call again that was authenticated when its headers arrived. With `fresh`, the store is read whatever is cached. */
  reauthenticate(request: IncomingMessage, now: number, fresh?: 'fresh'): Promise<Caller | Refusal>
}

/**
 * Contract, "Authentication"; RFC 6750. The response does not reveal why a key does not work: only missing_api_key or invalid_api_key, and
 * faults in the form of the header.
 * Anyone can make up a well-formed key with a valid checksum. So a key that this instance does not know is looked up only while its address
 * has calls left: each look-up in progress reserves one of them, which is counted if the key is unknown, and free again if it is good.
 */
export function buildAuthentication(
  store: AccountStore,
  deployment: Deployment,
  clientAddress: ClientAddress,
  strangers: Strangers,
): Authentication {
  /**
   * By the whole header, so that known callers need no parsing or hashing. A caller that may have changed is read again, without a reservation:
   * strangers at the same address cannot lock out a key that is in use.
   */
  const callers = new LRUCache<string, KnownCaller>({ max: MAX_CACHED_CALLERS })
  /** Reads in progress, also by header. */
  const pending = new Map<string, Reading>()
  const lookups = new KeyedQueue()
  const revision = () => store.revision().callers

  function remembered(header: string): KnownCaller | undefined {
    const known = callers.get(header)
    return known && known.revision >= store.lastChangeOf(known.caller) ? known : undefined
  }

  async function find(header: string, call: StrangerCall): Promise<KnownCaller | Refusal> {
    const hash = hashIn(header, deployment)
    if (hash instanceof Refusal) return hash
    if (callers.has(header)) return read(header, hash)
    const room = () => strangers.room(call)
    return lookups.run(strangers.sourceOf(call.request), room, async () => {
      const known = remembered(header)
      if (known) return known
      // Only a count shows whether the minute of a used-up address has ended meanwhile.
      if (room() === 0 && (await strangers.count(call)).outcome !== 'admitted') return invalidKey('not looked up')
      const found = await read(header, hash)
      if (found instanceof Refusal) await strangers.count(call)
      return found
    })
  }

  /** Concurrent calls with the same header read the store only once. */
  function read(header: string, hash: string): Promise<KnownCaller | Refusal> {
    const begun = pending.get(header)
    if (begun?.revision === revision()) return begun.result
    const result = readNow(header, hash).finally(() => {
      if (pending.get(header)?.result === result) pending.delete(header)
    })
    pending.set(header, { revision: revision(), result })
    return result
  }

  async function readNow(header: string, hash: string): Promise<KnownCaller | Refusal> {
    const readAt = revision()
    const caller = await store.findCaller(hash)
    if (!caller) {
      callers.delete(header)
      return invalidKey('unknown')
    }
    const known = { caller, isFromNetworks: caller.networks && buildIsWithin(caller.networks), revision: readAt }
    if (header.length <= MAX_CACHED_LENGTH) callers.set(header, known)
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
    authenticate(call) {
      const { request, now } = call
      const { authorization } = request.headers
      if (authorization === undefined) return new Refusal('missing_api_key')
      if (countHeader(request, 'authorization') > 1) return malformedKey(SENT_TWICE)
      const known = remembered(authorization) ?? find(authorization, call)
      return whenReady(known, found => {
        if (!(found instanceof Refusal)) call.keyId = found.caller.keyId
        return examine(found, request, now)
      })
    },
    async reauthenticate(request, now, fresh) {
      const { authorization = '' } = request.headers
      const hash = hashIn(authorization, deployment)
      if (hash instanceof Refusal) return hash
      const known = fresh ? undefined : remembered(authorization)
      return examine(known ?? (await (fresh ? readNow : read)(authorization, hash)), request, now)
    },
  }
}

interface KnownCaller {
  caller: Caller
  /** The revision of all callers when this one was read. */
  revision: number
  /** Undefined for a key that may call from anywhere. */
  isFromNetworks: ((address: Address) => boolean) | undefined
}

interface Reading {
  /** The revision of all callers when it began. */
  revision: number
  result: Promise<KnownCaller | Refusal>
}

/** The SHA-256 of the key in the header, or the reason why it has none of this deployment. */
function hashIn(header: string, deployment: Deployment): string | Refusal {
  const { secret: key, fault } = readBearer(header)
  if (key === undefined) return malformedKey(fault)
  return isWellFormedKey(key, deployment) ? hashSecret(key) : invalidKey('no key of this deployment')
}

function invalidKey(reason: string): Refusal {
  return new Refusal('invalid_api_key', undefined, { reason })
}

/** The message depends on the form of the header alone, so it says nothing about any key. */
function malformedKey(fault: string): Refusal {
  const message = `The API key is not valid: ${fault}; send "Authorization: Bearer <API_KEY>".`
  return new Refusal('invalid_api_key', message, { reason: fault })
}
