import { LRUCache } from 'lru-cache'
import { type NewAuditEntry, withDetails } from '../domain/audit.ts'
import type { OperatorToken } from '../domain/operator.ts'
import type { Decision } from '../domain/rate-limiter.ts'
import { hashSecret } from '../domain/secret.ts'
import type { OperatorStore } from '../domain/store/operators.ts'
import { secondsUntil } from '../domain/time.ts'
import { networkOf } from '../http/address.ts'
import type { Call } from '../http/call.ts'
import type { ClientAddress } from '../http/client-address.ts'
import { Refusal } from '../http/refusal.ts'

/** Wrong credentials allowed per minute and address. */
export const FAILURES_PER_MINUTE = 10
/** Sign-ins allowed per minute and token: each adds a row to the audit log, and rows are never deleted. */
export const SIGN_INS_PER_MINUTE = 30

/** How many credentials that have worked are remembered. */
const MAX_KNOWN = 1_000
/** Audit log rows per minute of failures; further addresses share the last row. */
const MAX_ROWS = 100
const OTHERS = 'other addresses'

/** Counts per minute, in this process. */
interface Limiter {
  consume(address: string, now: number): Decision
  peek(address: string, now: number): Decision
}

interface Dependencies {
  store: Pick<OperatorStore, 'recordAudit'>
  failures: Limiter
  signIns: Limiter
  clientAddress: ClientAddress
  /** Called for wrong credentials, and for credentials that were not tried because too many were wrong before. */
  onRefused(why: CredentialsRefused): void
}

type CredentialsRefused = 'wrong' | 'not_tried'

type Kind = 'token' | 'session' | 'link'

/** The failed attempts of an address since they were last written to the audit log. */
interface Failures {
  origin: string
  wrong: number
  notTried: number
}

/**
 * Limits wrong credentials per address and minute; further attempts are refused without a lookup. Credentials that have worked in this
 * process are always looked up, so a stranger behind the same proxy cannot lock out an operator. Tokens, sessions and links are counted
 * separately, so that a browser whose session has ended can sign in.
 */
export class CredentialLimiter {
  readonly #dependencies: Dependencies
  /** Hashes of credentials that have worked. */
  readonly #known = new LRUCache<string, true>({ max: MAX_KNOWN })
  /** Credentials being looked up: concurrent calls with the same credentials count as one attempt. */
  readonly #underway = new Map<string, Promise<unknown>>()
  /** Lookups in progress per address. All of them may turn out to be wrong. */
  readonly #lookups = new Map<string, number>()
  #failures = new Map<string, Failures>()

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /**
   * Returns the result of the lookup; undefined if the credentials are wrong.
   * @throws Refusal rate_limit_exceeded
   */
  async attempt<Found>(
    call: Call,
    kind: Kind,
    secret: string,
    find: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    const credentials = credentialsOf(kind, secret)
    const counted = `${kind} ${networkOf(this.#dependencies.clientAddress(call.request))}`
    const found = await (this.#known.has(credentials) ? find() : this.#findUnknown(call, credentials, counted, find))
    if (found === undefined) {
      this.#known.delete(credentials)
      this.#dependencies.failures.consume(counted, call.now)
      this.#failed(call, 'wrong')
    } else this.#known.set(credentials, true)
    return found
  }

  knowsSession(secret: string): boolean {
    return this.#known.has(credentialsOf('session', secret))
  }

  rememberSession(secret: string): void {
    this.#known.set(credentialsOf('session', secret), true)
  }

  /** @throws Refusal rate_limit_exceeded */
  admitSignIn({ id }: OperatorToken, now: number): void {
    const { outcome, shown } = this.#dependencies.signIns.consume(String(id), now)
    if (outcome !== 'admitted') throw tooMany('This token has signed in too often', shown.resetsAt, now)
  }

  /** Writes the failed attempts to the audit log, one row per address, so that an attack does not fill the log. */
  async save(now: number): Promise<void> {
    const pending = this.#failures
    this.#failures = new Map()
    try {
      for (const [network, failures] of pending) {
        await this.#dependencies.store.recordAudit(entryOf(failures, now))
        pending.delete(network)
      }
    } finally {
      // Rows that could not be written are kept for the next attempt.
      for (const [network, failures] of pending) this.#add(network, failures)
    }
  }

  #findUnknown<Found>(
    call: Call,
    credentials: string,
    counted: string,
    find: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    const underway = this.#underway.get(credentials) as Promise<Found | undefined> | undefined
    if (underway) return underway
    const lookups = this.#lookups.get(counted) ?? 0
    const { shown } = this.#dependencies.failures.peek(counted, call.now)
    if (shown.remaining <= lookups) {
      this.#failed(call, 'not_tried')
      throw tooMany('Too many wrong credentials from this address', shown.resetsAt, call.now)
    }
    this.#lookups.set(counted, lookups + 1)
    const finding = find().finally(() => {
      this.#underway.delete(credentials)
      const others = (this.#lookups.get(counted) ?? 1) - 1
      if (others === 0) this.#lookups.delete(counted)
      else this.#lookups.set(counted, others)
    })
    this.#underway.set(credentials, finding)
    return finding
  }

  #failed({ request }: Call, why: CredentialsRefused): void {
    const address = this.#dependencies.clientAddress(request)
    const origin = address?.toString() ?? 'unknown'
    this.#add(networkOf(address), { origin, wrong: Number(why === 'wrong'), notTried: Number(why === 'not_tried') })
    this.#dependencies.onRefused(why)
  }

  #add(network: string, { origin, wrong, notTried }: Failures): void {
    const isKept = this.#failures.has(network) || this.#failures.size < MAX_ROWS - 1
    const key = isKept ? network : OTHERS
    const known = this.#failures.get(key) ?? { origin: isKept ? origin : OTHERS, wrong: 0, notTried: 0 }
    this.#failures.set(key, { ...known, wrong: known.wrong + wrong, notTried: known.notTried + notTried })
  }
}

function credentialsOf(kind: Kind, secret: string): string {
  return `${kind} ${hashSecret(secret)}`
}

function entryOf({ origin, wrong, notTried }: Failures, now: number): NewAuditEntry {
  const entry: NewAuditEntry = { at: now, actor: 'nobody', origin, action: 'sign-in.refused', details: {} }
  return withDetails(entry, { wrong, notTried: notTried > 0 ? notTried : undefined })
}

function tooMany(what: string, resetsAt: number, now: number): Refusal {
  const seconds = secondsUntil(resetsAt, now)
  return new Refusal('rate_limit_exceeded', `${what}; retry in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  })
}
