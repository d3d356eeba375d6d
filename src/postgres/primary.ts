import { setTimeout as sleep } from 'node:timers/promises'
import { reasonOf } from '../domain/system-error.ts'
import { placeOf, type Server, type SessionAttributes } from './servers.ts'

/** The state that a server reports. */
export interface ServerState {
  isStandby: boolean
  isReadOnly: boolean
  /** The timeline that it writes, which increases with each promotion; null on a standby. */
  timeline: number | null
  /** Identical on a server and all its copies. */
  systemId: string
  /** Identical if two hosts in the list are the same server. */
  startedAt: string
}

/** Reads the timeline from the log: the control file has that of the last checkpoint, which is outdated just after a promotion. */
export const READ_STATE = `SELECT pg_is_in_recovery() AS "isStandby",
    current_setting('transaction_read_only')::boolean AS "isReadOnly",
    CASE WHEN NOT pg_is_in_recovery()
      THEN ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int END AS timeline,
    (SELECT system_identifier::text FROM pg_control_system()) AS "systemId",
    pg_postmaster_start_time()::text AS "startedAt"`

/** A connection that can be ended immediately. */
interface Member {
  cut(): void
}

/** This server must not be used. Nothing was sent to it, so another server may be tried. */
export class NotPrimary extends Error {
  override readonly name = 'NotPrimary'
}

/**
 * After a primary has responded, the others have this much time to report a higher timeline. In the first search they have longer, because
 * nothing else prevents the choice of a former primary.
 */
const OTHERS_MS = 200
const OTHERS_FIRST_MS = 1_000
/** Minimum wait after a search without a result. */
const PAUSE_MS = 100

/**
 * Determines which server of a list is the primary, and remembers it until a connection fails. All connections to the list share it.
 *
 * A former primary may come back and accept writes, which are then lost. Each promotion increments the timeline (postgresql.org/docs/
 * current/continuous-archiving.html#BACKUP-TIMELINES), so a server with a lower timeline than the highest one seen is never used again, and
 * its connections are cut. If two standbys are both promoted, they have the same timeline: if a search finds both, neither is used.
 */
export class Primary {
  readonly #servers: readonly Server[]
  readonly #attributes: SessionAttributes
  readonly #ask: (server: Server, connectMs: number) => Promise<ServerState>
  #current: Server | undefined
  #search: Promise<Server> | undefined
  /** The highest timeline seen. */
  #timeline = 0
  #systemId: string | undefined
  readonly #members = new Map<Member, { server: Server; timeline: number }>()

  /** @param ask connects to a server within this time and reads its state */
  constructor(
    servers: readonly Server[],
    attributes: SessionAttributes,
    ask: (server: Server, connectMs: number) => Promise<ServerState>,
  ) {
    this.#servers = servers
    this.#attributes = attributes
    this.#ask = ask
  }

  /**
   * The server to connect to; undefined if the URL names only one. If none is known, all servers are queried in parallel.
   * @throws Error when none of them can be used, with the reason for each
   */
  async find(connectMs: number): Promise<Server | undefined> {
    if (this.#current || this.#servers.length === 0) return this.#current
    this.#search ??= this.#searchFor(connectMs)
    return this.#search
  }

  /**
   * Checks a new connection before it is used.
   * @throws NotPrimary
   */
  admit(member: Member, server: Server, state: ServerState): void {
    const obstacle = this.#obstacleOf(state)
    if (obstacle) {
      this.doubt(server)
      throw new NotPrimary(`${placeOf(server)} ${obstacle}`)
    }
    this.#learn(state)
    this.#members.set(member, { server, timeline: state.timeline ?? 0 })
  }

  /** The connection has ended. */
  remove(member: Member): void {
    this.#members.delete(member)
  }

  /** Makes the next connection query all servers again. */
  doubt(server: Server): void {
    if (this.#current && isSame(this.#current, server)) this.#current = undefined
  }

  /**
   * The server has refused a write because it is read-only. Unless the URL accepts a read-only primary, all its connections are cut: they
   * would read stale data.
   */
  leave(server: Server): void {
    this.doubt(server)
    if (this.#attributes === 'primary') return
    for (const [member, { server: own }] of this.#members) if (isSame(own, server)) member.cut()
  }

  async #searchFor(connectMs: number): Promise<Server> {
    try {
      const found = await this.#askAll(connectMs)
      this.#search = undefined
      return found
    } catch (error) {
      setTimeout(() => {
        this.#search = undefined
      }, PAUSE_MS).unref()
      throw error
    }
  }

  async #askAll(connectMs: number): Promise<Server> {
    const usable: { server: Server; state: ServerState }[] = []
    const obstacles: string[] = []
    const { promise: isEnough, resolve: enough } = Promise.withResolvers<void>()
    let isOver = false
    const asking = this.#servers.map(async server => {
      try {
        const state = await this.#ask(server, connectMs)
        const obstacle = this.#obstacleOf(state)
        if (obstacle) return void obstacles.push(`${placeOf(server)} ${obstacle}`)
        if (isOver) return this.#onLateAnswer(state)
        usable.push({ server, state })
        sleep(this.#timeline ? OTHERS_MS : OTHERS_FIRST_MS, undefined, { ref: false }).then(enough)
      } catch (error) {
        obstacles.push(`${placeOf(server)}: ${reasonOf(error)}`)
      }
    })
    await Promise.race([Promise.all(asking), isEnough])
    isOver = true
    const [newest] = usable.toSorted((one, other) => (other.state.timeline ?? 0) - (one.state.timeline ?? 0))
    if (!newest) throw new Error(`none of its servers is a primary (${obstacles.join('; ')})`)
    const rivals = usable.filter(({ state }) => isRival(newest.state, state)).map(({ server }) => placeOf(server))
    if (rivals.length > 0)
      throw new Error(`${placeOf(newest.server)} and ${rivals.join(' and ')} are both primaries; stop the wrong one`)
    this.#learn(newest.state)
    this.#current = newest.server
    return newest.server
  }

  /** Why a server must not be used; undefined if it may be. */
  #obstacleOf({ isStandby, isReadOnly, timeline, systemId }: ServerState): string | undefined {
    if (isStandby) return 'is a standby'
    if (isReadOnly && this.#attributes === 'read-write') return 'is read-only'
    if (this.#systemId !== undefined && systemId !== this.#systemId) return 'is not a copy of the server used before'
    if ((timeline ?? 0) < this.#timeline) {
      return `is a former primary (timeline ${timeline}; the primary has had ${this.#timeline})`
    }
    return undefined
  }

  /** A response after the search has chosen a server: if its timeline is higher, the chosen server is a former primary. */
  #onLateAnswer(state: ServerState): void {
    if (this.#timeline === 0 || (state.timeline ?? 0) <= this.#timeline) return
    this.#learn(state)
    this.#current = undefined
  }

  #learn({ timeline, systemId }: ServerState): void {
    this.#systemId ??= systemId
    if (!timeline || timeline <= this.#timeline) return
    this.#timeline = timeline
    for (const [member, { timeline: own }] of this.#members) if (own < timeline) member.cut()
  }
}

/** Each connection to the only host of a URL has its own object. */
function isSame(one: Server, other: Server): boolean {
  return one.host === other.host && one.port === other.port
}

/** Whether a primary conflicts with the newest one: it is a different server, but not a former primary of the same servers. */
function isRival(newest: ServerState, { systemId, timeline, startedAt }: ServerState): boolean {
  return systemId !== newest.systemId || (timeline === newest.timeline && startedAt !== newest.startedAt)
}
