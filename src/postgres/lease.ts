import { StoreUnavailable, UserError } from '../domain/errors.ts'
import type { CallerIds, Revision } from '../domain/store/revision.ts'
import type { LeaseWatch } from '../domain/store/watch.ts'
import { DAY_MS } from '../domain/time.ts'
import { type CallerChange, ChangedCallers } from './changed-callers.ts'
import { Connection, SERVING_CONNECT_MS } from './connection.ts'
import { currentMoment, elapsedSince, type Moment } from './elapsed-time.ts'
import { FINISH_UPGRADE, IS_BESIDE_EARLIER, IS_UPGRADED } from './finish-upgrade.ts'
import { type Instances, register } from './register.ts'
import { DELETE_SILENT, LEASE_MS, type RenewalCounts, Renewals } from './renewals.ts'
import { DRAWN, IDS_READING, type IdsReading, SettledIds } from './settled-ids.ts'

interface LeaseOptions {
  instances: Instances
  watch: LeaseWatch
  /** Resolves when the writes that are running now have ended: they may have begun before a change that this instance has just learned. */
  settled(): Promise<void>
  /** Called when the lease could not be renewed: the server may be a former primary, where other connections would only read, unnoticed. */
  leave(): void
  /** How long only instances of this release must have served before an upgrade is finished. Until then, it can be taken back. */
  finishAfterMs?: number | undefined
}

/** Less than others wait, in case that their clocks are faster. */
const SURE_MS = LEASE_MS - 500
const RENEW_EVERY_MS = 1_000
/** Timeout of every query. */
const ANSWER_MS = 2_000
/** How long something is kept while commands of 1.1.0 may change the store, which do not wait for this instance. Beside instances of 1.1.0: nothing. */
const KEPT_DURING_UPGRADE_MS = 20
/**
 * About so many instances read each second how often all others have renewed their leases. If all did, the cost would grow with the square of their
 * number.
 */
const COUNTING = 20
const MIN_PAUSE_MS = 50
const MAX_PAUSE_MS = 1_000

interface Session {
  client: Connection
  /** The row of this instance. */
  id: bigint
  ids: SettledIds
  /** When it first found no instance of an earlier release, while an upgrade is to be finished. */
  aloneSince: number | undefined
  /** Why it can no longer be used. */
  failure: unknown
}

/** The table `revision`: how often callers have changed, and how often existing animals have. */
interface Numbers {
  callers: number
  corrections: number
}

/**
 * The right of an instance to act on what it knows. It has a row in the table `instance`, which shows up to which change it has forgotten what
 * changed; others wait for that (`waitForInstances`). It may act for a while after it has found out, by a renewal of that row, that it knows every
 * change (docs/decisions/0014-changes-are-acknowledged.md).
 */
export class Lease {
  readonly #url: string
  readonly #options: LeaseOptions
  /** Everything that changed up to here is forgotten. */
  #applied: Numbers = { callers: 0, corrections: 0 }
  #revision: Revision = { callers: 0, corrections: 0, newestPetId: undefined }
  readonly #changedCallers = new ChangedCallers()
  /** At this moment, there was no change that has not been applied. */
  #sureAt: Moment | undefined
  /** For how long something is kept, and until when. */
  #keptMs = 0
  #keptUntil = 0
  readonly #renewals = new Renewals()
  #instances = 1
  /** Undefined between two sessions. */
  #session: Session | undefined
  #formerId: bigint | undefined
  /** Whether something may have changed. */
  #hasNews = false
  #isLost = false
  #isUserErrorReported = false
  #isClosing = false
  #wake = () => {}
  #running: Promise<void> = Promise.resolve()

  /**
   * @throws UserError when other instances conflict with this one
   * @throws the driver's error when the database cannot be reached
   */
  static async open(url: string, options: LeaseOptions): Promise<Lease> {
    const lease = new Lease(url, options)
    await lease.#connect()
    // As in the database. Nothing has been read yet.
    lease.#revision = { ...lease.#applied, newestPetId: undefined }
    lease.#changedCallers.addAll(0)
    lease.#running = lease.#run()
    return lease
  }

  private constructor(url: string, options: LeaseOptions) {
    this.#url = url
    this.#options = options
  }

  /**
   * To be called in the turn in which something that was read is used.
   * @throws StoreUnavailable if the instance may have missed a change
   */
  ensureSure(): void {
    if (this.#sureAt && elapsedSince(this.#sureAt) < SURE_MS) return
    this.renew()
    throw new StoreUnavailable('The lease of this instance has ended: it may have missed changes by other instances.')
  }

  /**
   * Returns the same object until something changes. A number never stands for two states.
   * @throws StoreUnavailable see `ensureSure`
   */
  revision(): Revision {
    this.ensureSure()
    const now = performance.now()
    if (now >= this.#keptUntil) {
      this.#keptUntil = now + this.#keptMs
      this.#advance({ callers: 1, corrections: 1 })
    }
    return this.#revision
  }

  lastChangeOf(caller: CallerIds): number {
    const { callers } = this.revision()
    return this.#keptMs === Number.POSITIVE_INFINITY ? this.lastKnownChangeOf(caller) : callers
  }

  /** The same without changes that are only assumed. */
  lastKnownChangeOf(caller: CallerIds): number {
    return this.#changedCallers.lastChangeOf(caller)
  }

  /** See `Revisions`. Each session finds it out again, because the database may have been restored. */
  get settledPetId(): bigint {
    return this.#session?.ids.highest ?? 0n
  }

  /** How many instances use this store, including this one. While the lease is lost, the last known number. */
  get instances(): number {
    return this.#instances
  }

  /** Renews the lease immediately, because something may have changed. */
  renew(): void {
    this.#hasNews = true
    this.#wake()
  }

  async close(): Promise<void> {
    this.#isClosing = true
    this.#wake()
    if (this.#isLost) this.#session?.client.cut()
    await this.#running
  }

  /** Reconnects until the lease is closed. */
  async #run(): Promise<void> {
    let pauseMs = MIN_PAUSE_MS
    while (!this.#isClosing) {
      try {
        const session = this.#session ?? (await this.#connect())
        this.#reportRestored()
        pauseMs = MIN_PAUSE_MS
        await this.#follow(session)
      } catch (error) {
        this.#reportLost(error)
      }
      await this.#disconnect()
      // Random, so that not all instances reconnect at the same moment when the server is back.
      await this.#pause(pauseMs * (0.5 + Math.random()))
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)
    }
  }

  /** Starts a session, in which the instance knows nothing yet, and registers it. */
  async #connect(): Promise<Session> {
    const timeouts = { connectMs: SERVING_CONNECT_MS, answerMs: ANSWER_MS, statementMs: ANSWER_MS }
    const client = new Connection(this.#url, timeouts)
    const session: Session = { client, id: 0n, ids: new SettledIds(), aloneSince: undefined, failure: undefined }
    const fail = (error: unknown) => {
      session.failure ??= error
      this.#wake()
    }
    client.on('error', fail)
    client.on('end', () => fail(new Error('The database ended the connection.')))
    this.#session = session
    try {
      await client.open()
      // From then on, no change waits for what the former row stood for.
      await this.#options.settled()
      const { id, sentAt, ...numbers } = await register(client, this.#options.instances, this.#formerId)
      this.#formerId = session.id = id
      this.#applied = numbersOf(numbers)
      this.#forgetAll()
      this.#sureAt = sentAt
      session.ids.learn(await this.#renew(session))
      return session
    } catch (error) {
      await this.#disconnect()
      throw error
    }
  }

  /** Does one thing at a time, until the session fails or the lease is closed. */
  async #follow(session: Session): Promise<void> {
    let renewAt = performance.now() + RENEW_EVERY_MS
    while (!this.#isClosing) {
      if (session.failure) throw session.failure
      const now = performance.now()
      if (now >= renewAt) {
        renewAt = now + RENEW_EVERY_MS
        session.ids.learn(await this.#renew(session))
      } else if (this.#hasNews) {
        this.#hasNews = false
        await this.#learnChanges(session)
        await this.#renew(session)
      } else {
        await this.#sleep(renewAt - now)
      }
    }
  }

  /** Renews the lease, and shows up to which change it has been applied. A former primary is read-only, or waits in vain. */
  async #renew(session: Session): Promise<RenewalRow> {
    const { client, id, ids } = session
    for (;;) {
      const sentAt = currentMoment()
      const { callers, corrections } = this.#applied
      const isCounting = Math.random() * this.#instances < COUNTING
      const values = [...ids.parameters, id, callers + corrections, isCounting]
      const [row] = (await client.ask<RenewalRow>({ text: RENEW, values })).rows
      client.ensureReplicated()
      if (!row) throw new Error('Other instances have stopped waiting for this one, because it did not respond.')
      this.#keepFor(row.is_upgraded ? Number.POSITIVE_INFINITY : row.is_beside_earlier ? 0 : KEPT_DURING_UPGRADE_MS)
      if (row.counts) await this.#countInstances(client, row.counts)
      await this.#finishUpgrade(session, row)
      if (Number(row.callers) === callers && Number(row.corrections) === corrections) {
        this.#sureAt = sentAt
        return row
      }
      await this.#learnChanges(session)
    }
  }

  /** Forgets what has changed: the callers that are named, or all of them if it cannot be read which. */
  async #learnChanges({ client }: Session): Promise<void> {
    const applied = this.#applied
    const values = [applied.callers, MAX_CHANGES_AT_ONCE]
    const { rows } = await client.ask<ChangeRow>({ text: READ_CHANGES, values })
    const newest = numbersOf(rows[0] as ChangeRow)
    const more = { callers: newest.callers - applied.callers, corrections: newest.corrections - applied.corrections }
    if (more.callers === 0 && more.corrections === 0) return
    // In a new session, nothing that was known before counts.
    if (more.callers < 0 || more.corrections < 0) throw new Error('An earlier state of the database was restored.')
    this.#advance(more)
    const changes = rows.filter(({ number }) => number !== null)
    const isComplete =
      rows.length < MAX_CHANGES_AT_ONCE && new Set(changes.map(({ number }) => number)).size === more.callers
    if (!isComplete) this.#changedCallers.addAll(this.#revision.callers)
    for (const change of changes) this.#changedCallers.add(change, this.#revision.callers)
    await this.#options.settled()
    this.#applied = newest
  }

  #keepFor(milliseconds: number): void {
    if (milliseconds === this.#keptMs) return
    this.#keptMs = milliseconds
    this.#keptUntil = performance.now() + milliseconds
    this.#forgetAll()
  }

  /** Instances that have ended without notice are deleted, so that they do not count. */
  async #countInstances(client: Connection, counts: RenewalCounts): Promise<void> {
    this.#instances = Object.keys(counts).length
    for (const silent of this.#renewals.findSilent(counts)) await client.ask({ text: DELETE_SILENT, values: silent })
  }

  /** Instances create animals side by side from the moment when programs of earlier releases can no longer use the store. */
  async #finishUpgrade(session: Session, { is_upgraded, is_beside_earlier }: RenewalRow): Promise<void> {
    const now = performance.now()
    session.aloneSince = is_upgraded || is_beside_earlier ? undefined : (session.aloneSince ?? now)
    if (session.aloneSince === undefined || now - session.aloneSince < (this.#options.finishAfterMs ?? DAY_MS)) return
    const { rowCount } = await session.client.ask({ text: FINISH_UPGRADE })
    if (rowCount === 1) this.#options.watch.upgradeFinished?.()
  }

  #forgetAll(): void {
    this.#advance({ callers: 1, corrections: 1 })
    this.#changedCallers.addAll(this.#revision.callers)
  }

  /** The revision increases with the database's numbers and with each assumed change, so an old number never stands for a new state. */
  #advance({ callers, corrections }: Numbers): void {
    const before = this.#revision
    this.#revision = {
      callers: before.callers + callers,
      corrections: before.corrections + corrections,
      newestPetId: undefined,
    }
  }

  #reportLost(error: unknown): void {
    if (this.#isClosing) return
    this.#options.leave()
    const isUserError = error instanceof UserError
    if (!this.#isLost || (isUserError && !this.#isUserErrorReported)) this.#options.watch.leaseLost(error)
    this.#isLost = true
    this.#isUserErrorReported ||= isUserError
  }

  #reportRestored(): void {
    if (this.#isLost) this.#options.watch.leaseRestored()
    this.#isLost = false
    this.#isUserErrorReported = false
  }

  /** When the lease is closed normally, no one waits for this instance from then on, unless the server hangs. */
  async #disconnect(): Promise<void> {
    if (!this.#session) return
    const { client, id, failure } = this.#session
    this.#session = undefined
    if (this.#isClosing && !failure) {
      await client.query('DELETE FROM instance WHERE id = $1', [id]).catch(() => {})
      await client.close()
    } else client.cut()
  }

  /** Ends early if the lease is closed, but not if a failed session reports further errors. */
  async #pause(milliseconds: number): Promise<void> {
    const until = performance.now() + milliseconds
    for (let left = milliseconds; !this.#isClosing && left > 0; left = until - performance.now())
      await this.#sleep(left)
  }

  /** Until the time is over or something happens. */
  #sleep(milliseconds: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, milliseconds)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

/** Converts numbers from strings, bigints or numbers. */
function numbersOf({ callers, corrections }: Record<keyof Numbers, unknown>): Numbers {
  return { callers: Number(callers), corrections: Number(corrections) }
}

const MAX_CHANGES_AT_ONCE = 1_000

/** At least one row. */
type ChangeRow = Record<keyof Numbers, bigint> & CallerChange
const READ_CHANGES = `SELECT callers, corrections, number, account_id, key_id
  FROM revision LEFT JOIN caller_change ON number > $1 LIMIT $2`

interface RenewalRow extends IdsReading {
  callers: bigint
  corrections: bigint
  is_upgraded: boolean
  is_beside_earlier: boolean
  counts: RenewalCounts | null
}

/** No row if others no longer wait for this instance. The tables of one row are not joined: without statistics, they look large. */
const RENEW = `WITH ${DRAWN}
  UPDATE instance SET renewals = renewals + 1, seen = $4 FROM drawn WHERE id = $3
  RETURNING (SELECT callers FROM revision) AS callers, (SELECT corrections FROM revision) AS corrections,
    ${IS_UPGRADED} AS is_upgraded, ${IS_BESIDE_EARLIER} AS is_beside_earlier,
    CASE WHEN $5 THEN (SELECT json_object_agg(other.id, other.renewals) FROM instance AS other) END AS counts, ${IDS_READING}`
