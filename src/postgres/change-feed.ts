import { UserError } from '../domain/errors.ts'
import type { CallerIds, Revision } from '../domain/store/revision.ts'
import { DAY_MS } from '../domain/time.ts'
import { type CallerChange, ChangedCallers } from './changed-callers.ts'
import { Connection, SERVING_CONNECT_MS } from './connection.ts'
import { ensureSameProcess, ensureSession } from './ensure-session.ts'
import { CAN_FINISH, FINISH_UPGRADE, SHOW_RELEASE } from './finish-upgrade.ts'
import { DRAWN, IDS_READING, type IdsReading, SettledIds } from './settled-ids.ts'
import { ensureInstances, type Instances } from './single-instance-lock.ts'
import {
  type Ask,
  lockNumber,
  MAX_AGE_WITHOUT_LOCK_MS,
  type Numbers,
  numbersOf,
  SERVING_LOCKS,
  waitForPropagation,
} from './wait-for-propagation.ts'

export interface ChangeFeedWatch {
  /** Changes by other instances apply late. Called once per loss, and once more if other instances turn out to conflict with this one. */
  changeFeedLost(error: unknown): void
  changeFeedRestored(): void
  /** From now on, programs of earlier releases refuse the store. */
  upgradeFinished?(): void
}

interface ChangeFeedOptions {
  instances: Instances
  watch: ChangeFeedWatch
  /** Resolves when the writes that are running now have ended: they may have begun before a change that this instance has just learned. */
  settled(): Promise<void>
  /** Called when a session has failed: its server may have become a former primary, where other connections would only read, and never notice. */
  leave(): void
  /** How long only instances of this release must have served before an upgrade is finished. Until then, it can be taken back. */
  finishAfterMs?: number | undefined
}

/** How often the numbers are read, in case a notification was missed. */
const POLL_INTERVAL_MS = 1_000
/** Timeout of every query. */
const ANSWER_MS = 2_000
/** How long numbers are valid, from the start of the query that read them; then the feed is lost. Together with MAX_AGE_WITHOUT_LOCK_MS: under 5 s. */
const VALID_MS = POLL_INTERVAL_MS + ANSWER_MS
/** The server ends a session that is silent for this long, so that others do not wait for a machine that is gone. */
const IDLE_SESSION_MS = 4_000
const MIN_PAUSE_MS = 50
const MAX_PAUSE_MS = 1_000

/** A connection and its state. */
interface Session {
  client: Connection
  oid: number
  /** The server process of the session; behind a pooler, each statement may run in a different one. */
  pid: number
  /** The number whose lock it holds. */
  held: number | undefined
  ids: SettledIds
  /** When it first found no instance of an earlier release, while an upgrade is to be finished. */
  aloneSince: number | undefined
  /** Why it can no longer be used. */
  failure: unknown
}

/**
 * Connects a serving instance to the others, with a dedicated connection: the instance is notified immediately of their changes, and they
 * wait until it is. To publish the number that it knows, it holds a shared lock on that number (`waitForPropagation`). Notifications and
 * locks belong to a server session, so a pooler in transaction mode does not work.
 */
export class ChangeFeed {
  readonly #url: string
  readonly #options: ChangeFeedOptions
  /** The numbers of the database, as last known. */
  #numbers: Numbers = { callers: 0, corrections: 0 }
  /** The number of `callers` up to which this instance has forgotten the callers that changed. */
  #appliedCallers = 0
  #revision: Revision = { callers: 0, corrections: 0, newestPetId: undefined }
  readonly #changedCallers = new ChangedCallers()
  /** After this time, anything may have changed. */
  #validUntil = Number.POSITIVE_INFINITY
  #instances = 1
  /** Undefined between two sessions. */
  #session: Session | undefined
  #isSessionEnsured = false
  #isLost = false
  #isUserErrorReported = false
  #isClosing = false
  #wake = () => {}
  #running: Promise<void> = Promise.resolve()

  /**
   * @throws UserError when other instances conflict with this one
   * @throws the driver's error when the database cannot be reached
   */
  static async open(url: string, options: ChangeFeedOptions): Promise<ChangeFeed> {
    const feed = new ChangeFeed(url, options)
    await feed.#connect()
    feed.#revision = { ...feed.#numbers, newestPetId: undefined }
    feed.#running = feed.#run()
    return feed
  }

  private constructor(url: string, options: ChangeFeedOptions) {
    this.#url = url
    this.#options = options
  }

  /** Returns the same object until something changes. A number never stands for two states, even after the feed was lost. */
  revision(): Revision {
    if (performance.now() >= this.#validUntil) this.#assumeChanges(MAX_AGE_WITHOUT_LOCK_MS)
    return this.#revision
  }

  /** See `Revisions`. */
  lastChangeOf(caller: CallerIds): number {
    // If the numbers are too old, all callers may have changed.
    this.revision()
    return this.#changedCallers.lastChangeOf(caller)
  }

  /** See `Revisions`. Each session finds it out again, because the database may have been restored. */
  get settledPetId(): bigint {
    return this.#session?.ids.highest ?? 0n
  }

  /** How many instances use this store, including this one. While the feed is lost, the last known number. */
  get instances(): number {
    return this.#instances
  }

  /** Must be awaited after a commit of this instance that has changed the table `revision`; see `waitForPropagation`. */
  async waitForOthers(ask: Ask, maxMs?: number): Promise<void> {
    const numbers = await waitForPropagation(ask, maxMs)
    if (numbers) this.#learn(numbers)
    // This instance is one of those that have been waited for. If it has not read the change, the wait has ended too early.
    if (!numbers || this.#appliedCallers < numbers.callers) this.#assumeChanges(MAX_AGE_WITHOUT_LOCK_MS)
  }

  async close(): Promise<void> {
    this.#isClosing = true
    this.#wake()
    if (this.#isLost) this.#session?.client.cut()
    await this.#running
  }

  /** Reconnects until the feed is closed. */
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

  /** Starts a session that knows everything committed before its lock became visible to the others. */
  async #connect(): Promise<Session> {
    const timeouts = { connectMs: SERVING_CONNECT_MS, answerMs: ANSWER_MS, statementMs: ANSWER_MS }
    const client = new Connection(this.#url, timeouts)
    const session: Session = {
      client,
      oid: 0,
      pid: 0,
      held: undefined,
      ids: new SettledIds(),
      aloneSince: undefined,
      failure: undefined,
    }
    const fail = (error: unknown) => {
      session.failure ??= error
      this.#wake()
    }
    client.on('error', fail)
    client.on('end', () => fail(new Error('The database ended the connection.')))
    client.on('notification', ({ payload = '' }) => {
      if (!PAYLOAD.test(payload)) return
      const [callers, corrections] = payload.split(' ')
      this.#learn(numbersOf({ callers, corrections }))
      this.#wake()
    })
    this.#session = session
    try {
      await client.open()
      // Before it acquires a lock, which a pooler would keep after this instance has ended.
      if (!this.#isSessionEnsured) await ensureSession(client, this.#url)
      this.#isSessionEnsured = true
      await client.query(LIMIT_IDLE_TIME)
      const { rows } = await client.query(`SELECT 'revision'::regclass::oid AS oid, pg_backend_pid() AS pid`)
      session.oid = rows[0].oid
      session.pid = rows[0].pid
      await ensureInstances(client, session.oid, this.#options.instances)
      await client.query(SHOW_RELEASE)
      // In this order, no change is missed: commits after the lock is visible wait until this instance is notified, and earlier
      // commits are read.
      await client.query(`LISTEN petstore_${session.oid}`)
      this.#numbers = numbersOf((await client.query('SELECT callers, corrections FROM revision')).rows[0])
      this.#appliedCallers = this.#numbers.callers
      await this.#acknowledge(session, this.#numbers)
      this.#assumeChanges(VALID_MS)
      await this.#poll(session)
      return session
    } catch (error) {
      await this.#disconnect()
      throw error
    }
  }

  /** Does one thing at a time, until the session fails or the feed is closed. */
  async #follow(session: Session): Promise<void> {
    let pollAt = performance.now() + POLL_INTERVAL_MS
    while (!this.#isClosing) {
      if (session.failure) throw session.failure
      const now = performance.now()
      if (now >= pollAt) {
        pollAt = now + POLL_INTERVAL_MS
        await this.#poll(session)
      } else if (session.held !== lockNumber(this.#numbers)) {
        await this.#acknowledge(session, this.#numbers)
      } else {
        await this.#sleep(pollAt - now)
      }
    }
  }

  /** Shows the others that this instance knows the number, and that nothing here acts on an older state any longer. */
  async #acknowledge(session: Session, numbers: Numbers): Promise<void> {
    await this.#forgetChanged(session, numbers.callers)
    await this.#options.settled()
    await lock(session, lockNumber(numbers))
  }

  /** Forgets the callers that have changed up to this number; all of them if it cannot be read which. */
  async #forgetChanged({ client }: Session, newest: number): Promise<void> {
    const applied = this.#appliedCallers
    if (newest <= applied) return
    const values = [applied, newest, MAX_CHANGES_AT_ONCE]
    const { rows } = await client.query<CallerChange>({ name: 'changes', text: READ_CHANGES, values })
    this.#appliedCallers = newest
    this.#advance({ callers: newest - applied, corrections: 0 })
    const isComplete =
      rows.length < MAX_CHANGES_AT_ONCE && new Set(rows.map(({ number }) => number)).size === newest - applied
    if (!isComplete) this.#changedCallers.addAll(this.#revision.callers)
    for (const change of rows) this.#changedCallers.add(change, this.#revision.callers)
  }

  /**
   * Reads the numbers, and also shows the server that this instance is alive. It commits a write as well, which a former primary does not
   * acknowledge: it is read-only, or waits for a standby in vain.
   */
  async #poll(session: Session): Promise<void> {
    const { client, ids } = session
    const askedAt = performance.now()
    const { rows } = await client.query<PollRow>({ name: 'poll', text: POLL, values: ids.parameters })
    const [row] = rows as [PollRow]
    client.ensureReplicated()
    if (row.is_read_only) throw new Error('The database is read-only.')
    ensureSameProcess(session.pid, row.pid)
    this.#instances = Math.max(1, Number(row.instances))
    this.#learn(numbersOf(row))
    this.#validUntil = askedAt + VALID_MS
    ids.learn(row)
    await this.#finishUpgrade(session, row, askedAt)
  }

  /** Instances create animals side by side from the moment when programs of earlier releases can no longer use the store. */
  async #finishUpgrade(session: Session, { can_finish }: PollRow, now: number): Promise<void> {
    session.aloneSince = can_finish ? (session.aloneSince ?? now) : undefined
    if (session.aloneSince === undefined || now - session.aloneSince < (this.#options.finishAfterMs ?? DAY_MS)) return
    const { rowCount } = await session.client.query(FINISH_UPGRADE)
    if (rowCount === 1) this.#options.watch.upgradeFinished?.()
  }

  /** Numbers arrive in several ways and may be late: only newer ones count. Which callers have changed is read before this is acknowledged. */
  #learn({ callers, corrections }: Numbers): void {
    const more = {
      callers: Math.max(0, callers - this.#numbers.callers),
      corrections: Math.max(0, corrections - this.#numbers.corrections),
    }
    if (more.callers === 0 && more.corrections === 0) return
    this.#numbers = sumOf(this.#numbers, more)
    if (more.corrections > 0) this.#advance({ callers: 0, corrections: more.corrections })
  }

  #assumeChanges(validMs: number): void {
    this.#validUntil = performance.now() + validMs
    this.#advance({ callers: 1, corrections: 1 })
    this.#changedCallers.addAll(this.#revision.callers)
  }

  /** The revision increases with the database's numbers and with each assumed change, so an old number never stands for a new state. */
  #advance(more: Numbers): void {
    this.#revision = { ...sumOf(this.#revision, more), newestPetId: undefined }
  }

  #reportLost(error: unknown): void {
    if (this.#isClosing) return
    this.#options.leave()
    const isUserError = error instanceof UserError
    if (!this.#isLost) this.#assumeChanges(MAX_AGE_WITHOUT_LOCK_MS)
    if (!this.#isLost || (isUserError && !this.#isUserErrorReported)) this.#options.watch.changeFeedLost(error)
    this.#isLost = true
    this.#isUserErrorReported ||= isUserError
  }

  #reportRestored(): void {
    if (this.#isLost) this.#options.watch.changeFeedRestored()
    this.#isLost = false
    this.#isUserErrorReported = false
  }

  /** When the feed is closed normally, waits until the server has released the locks, unless the server hangs. */
  async #disconnect(): Promise<void> {
    if (!this.#session) return
    const { client, failure } = this.#session
    this.#session = undefined
    if (this.#isClosing && !failure) await client.close()
    else client.cut()
  }

  /** Ends early if the feed is closed, but not if a failed session reports further errors. */
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

function sumOf(one: Numbers, other: Numbers): Numbers {
  return { callers: one.callers + other.callers, corrections: one.corrections + other.corrections }
}

const MAX_CHANGES_AT_ONCE = 1_000
const READ_CHANGES = 'SELECT number, account_id, key_id FROM caller_change WHERE number > $1 AND number <= $2 LIMIT $3'

/** The notifications of the trigger. Other programs may send other payloads on the channel, which are ignored. */
const PAYLOAD = /^\d+ \d+$/

interface PollRow extends IdsReading, Record<string, unknown> {
  pid: number
  is_read_only: boolean
  instances: bigint
  can_finish: boolean
}

/** Of all that is written to the log of PostgreSQL and waits for standbys, a message needs no table. */
const POLL = `WITH ${DRAWN}
  SELECT callers, corrections, pg_backend_pid() AS pid, current_setting('transaction_read_only')::boolean AS is_read_only,
    (SELECT count(DISTINCT locks.pid) FROM pg_locks AS locks WHERE ${SERVING_LOCKS}) AS instances, ${CAN_FINISH} AS can_finish,
    ${IDS_READING}, pg_logical_emit_message(true, 'petstore', '') AS written
  FROM drawn, revision`

/** Acquires the lock of the number, then releases the old one, so that the instance always holds a lock. */
async function lock(session: Session, number: number): Promise<void> {
  // Lock functions take signed keys; pg_locks shows unsigned ones.
  const key = session.oid | 0
  await session.client.query({ name: 'lock', text: 'SELECT pg_advisory_lock_shared($1, $2)', values: [key, number] })
  const old = session.held
  session.held = number
  if (old !== undefined) {
    const values = [key, old]
    await session.client.query({ name: 'unlock', text: 'SELECT pg_advisory_unlock_shared($1, $2)', values })
  }
}

/** PostgreSQL 13 does not have this setting; there, TCP timeouts apply. */
const LIMIT_IDLE_TIME = `SELECT set_config(name, '${IDLE_SESSION_MS}', false)
  FROM pg_settings WHERE name = 'idle_session_timeout'`
