import { type Client, DatabaseError } from 'pg'
import { Mistake } from '../domain/errors.ts'
import type { Revision } from '../domain/store.ts'
import { type Company, keepCompany } from './company.ts'
import { Connection, SERVING_CONNECT_MS } from './connection.ts'
import { type Ask, lockNumber, type Numbers, numbersOf, SERVING_LOCKS, untilKnown } from './until-known.ts'

export interface LinkWatch {
  /** Changes by others are not told any more. Once for each loss, and once more if others are found in the way. */
  pushLost(error: unknown): void
  pushReturned(): void
}

interface LinkOptions {
  company: Company
  watch: LinkWatch
}

/** The database is asked this often for what may not have been told. */
const BEAT_MS = 1_000
/** The longest that the database may take for any answer. */
const ANSWER_MS = 2_000
/** What is known is good for so long, counted from the question: then the push is lost. Together with the next: under 5 seconds. */
const GOOD_FOR_MS = BEAT_MS + ANSWER_MS
/** While the push is lost, nothing is kept for longer. */
const BLIND_MS = 1_500
/** A session that is silent for so long is ended by the server: nobody waits for a machine that is gone. */
const SILENT_MS = 4_000
const SHORTEST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1_000

/** What one connection holds. */
interface Session {
  client: Connection
  oid: number
  /** The server's process; behind a pooler it may be another one with each statement. */
  pid: number
  /** The number whose lock it has. */
  held: number | undefined
  /** Why it is of no use any more. */
  failure: unknown
}

/**
 * What ties an instance that serves to the others, by a connection of its own: it is told at once what they change, and they wait
 * until it knows. For that it holds a shared lock on the number that it knows (`untilKnown`). All of this belongs to a session of
 * the server: a pooler that gives each transaction another one does not do.
 */
export class Link {
  readonly #url: string
  readonly #options: LinkOptions
  /** As the database has them, so far as is known. */
  #numbers: Numbers = { callers: 0, corrections: 0 }
  #revision: Revision = { callers: 0, corrections: 0, newestPetId: undefined }
  /** When what is known must be taken for old. */
  #goodUntil = Number.POSITIVE_INFINITY
  #instances = 1
  /** Undefined between two of them. */
  #session: Session | undefined
  #isLost = false
  #isMistakeTold = false
  #isClosing = false
  #wake = () => {}
  #running: Promise<void> = Promise.resolve()

  /**
   * @throws Mistake when other instances are in the way
   * @throws whatever the driver has to say when the database cannot be reached
   */
  static async open(url: string, options: LinkOptions): Promise<Link> {
    const link = new Link(url, options)
    await link.#connect()
    link.#revision = { ...link.#numbers, newestPetId: undefined }
    link.#running = link.#run()
    return link
  }

  private constructor(url: string, options: LinkOptions) {
    this.#url = url
    this.#options = options
  }

  /** The same object for as long as nothing has changed. No number comes twice for two states, also after the push was lost. */
  revision(): Revision {
    if (performance.now() >= this.#goodUntil) this.#doubt(BLIND_MS)
    return this.#revision
  }

  /** How many instances serve on this store, this one among them; as last known while the push is lost. */
  get instances(): number {
    return this.#instances
  }

  /** To be awaited after a commit of this instance that has changed the table `revision`; see `untilKnown`. */
  async settle(ask: Ask, mostMs?: number): Promise<void> {
    const numbers = await untilKnown(ask, mostMs)
    if (numbers) this.#learn(numbers)
    else this.#doubt(BLIND_MS)
  }

  async close(): Promise<void> {
    this.#isClosing = true
    this.#wake()
    if (this.#isLost) this.#session?.client.cut()
    await this.#running
  }

  /** Keeps the link up until it is closed. */
  async #run(): Promise<void> {
    let pauseMs = SHORTEST_PAUSE_MS
    while (!this.#isClosing) {
      try {
        const session = this.#session ?? (await this.#connect())
        this.#return()
        pauseMs = SHORTEST_PAUSE_MS
        await this.#follow(session)
      } catch (error) {
        this.#lose(error)
      }
      await this.#hangUp()
      // Not all instances at once, when the server is back.
      await this.#pause(pauseMs * (0.5 + Math.random()))
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
    }
  }

  /** The session of an instance that knows all that was committed before the others could see its lock. */
  async #connect(): Promise<Session> {
    const bounds = { connectMs: SERVING_CONNECT_MS, answerMs: ANSWER_MS, statementMs: ANSWER_MS }
    const client = new Connection(this.#url, bounds)
    const session: Session = { client, oid: 0, pid: 0, held: undefined, failure: undefined }
    const fail = (error: unknown) => {
      session.failure ??= error
      this.#wake()
    }
    client.on('error', fail)
    client.on('end', () => fail(new Error('The database has ended the connection.')))
    client.on('notification', ({ payload = '' }) => {
      if (!PAYLOAD.test(payload)) return
      const [callers, corrections] = payload.split(' ')
      this.#learn(numbersOf({ callers, corrections }))
      this.#wake()
    })
    this.#session = session
    try {
      await client.open()
      await endWhenSilent(client)
      const { rows } = await client.query(`SELECT 'revision'::regclass::oid AS oid, pg_backend_pid() AS pid`)
      session.oid = rows[0].oid
      session.pid = rows[0].pid
      await keepCompany(client, session.oid, this.#options.company)
      // In this order nothing falls between: what is committed after the lock is seen waits for this instance to be told of it, and
      // what was committed before is read.
      await client.query(`LISTEN petstore_${session.oid}`)
      this.#numbers = await readNumbers(client)
      await lock(session, lockNumber(this.#numbers))
      this.#doubt(GOOD_FOR_MS)
      await this.#beat(session)
      return session
    } catch (error) {
      await this.#hangUp()
      throw error
    }
  }

  /** Does one thing at a time, until the session fails or the link is closed. */
  async #follow(session: Session): Promise<void> {
    let beatAt = performance.now() + BEAT_MS
    while (!this.#isClosing) {
      if (session.failure) throw session.failure
      const number = lockNumber(this.#numbers)
      const now = performance.now()
      if (now >= beatAt) {
        beatAt = now + BEAT_MS
        await this.#beat(session)
      } else if (session.held !== number) {
        await lock(session, number)
      } else {
        await this.#sleep(beatAt - now)
      }
    }
  }

  /** Reads what should have been told, and shows the server that this instance lives. */
  async #beat({ client, pid }: Session): Promise<void> {
    const askedAt = performance.now()
    const { rows } = await client.query({ name: 'beat', text: BEAT })
    if (rows[0].pid !== pid) throw new Mistake('invalid', POOLED)
    this.#instances = Math.max(1, Number(rows[0].instances))
    this.#learn(numbersOf(rows[0]))
    this.#goodUntil = askedAt + GOOD_FOR_MS
  }

  /** What comes by several ways may come late: only what is newer counts. */
  #learn({ callers, corrections }: Numbers): void {
    const more = {
      callers: Math.max(0, callers - this.#numbers.callers),
      corrections: Math.max(0, corrections - this.#numbers.corrections),
    }
    if (more.callers === 0 && more.corrections === 0) return
    this.#numbers = {
      callers: this.#numbers.callers + more.callers,
      corrections: this.#numbers.corrections + more.corrections,
    }
    this.#advance(more)
  }

  /** Anything may have changed. */
  #doubt(goodForMs: number): void {
    this.#goodUntil = performance.now() + goodForMs
    this.#advance({ callers: 1, corrections: 1 })
  }

  /** The revision rises with the database's numbers and with each doubt, so that it never shows an old number for a new state. */
  #advance({ callers, corrections }: Numbers): void {
    this.#revision = {
      callers: this.#revision.callers + callers,
      corrections: this.#revision.corrections + corrections,
      newestPetId: undefined,
    }
  }

  #lose(error: unknown): void {
    if (this.#isClosing) return
    const isMistake = error instanceof Mistake
    if (!this.#isLost) this.#doubt(BLIND_MS)
    if (!this.#isLost || (isMistake && !this.#isMistakeTold)) this.#options.watch.pushLost(error)
    this.#isLost = true
    this.#isMistakeTold ||= isMistake
  }

  #return(): void {
    if (this.#isLost) this.#options.watch.pushReturned()
    this.#isLost = false
    this.#isMistakeTold = false
  }

  /** Where the link is closed in order, waits for the server, which then has given up the locks; but not for one that stands still. */
  async #hangUp(): Promise<void> {
    if (!this.#session) return
    const { client, failure } = this.#session
    this.#session = undefined
    if (this.#isClosing && !failure) await client.close()
    else client.cut()
  }

  /** Ends early when the link is closed, and not for what a session that has failed still tells of its end. */
  async #pause(milliseconds: number): Promise<void> {
    const until = performance.now() + milliseconds
    while (!this.#isClosing && performance.now() < until) await this.#sleep(until - performance.now())
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

/** What the database notifies of; whatever else somebody may send there says nothing. */
const PAYLOAD = /^\d+ \d+$/

const NUMBERS = 'SELECT callers, corrections FROM revision'

const BEAT = `SELECT callers, corrections, pg_backend_pid() AS pid,
    (SELECT count(DISTINCT locks.pid) FROM pg_locks AS locks WHERE ${SERVING_LOCKS}) AS instances FROM revision`

const POOLED =
  'PETSTORE_DATABASE_URL leads to a pooler that gives each transaction another connection: instances cannot be told what others change that way. Use its session mode, or the database itself.'

async function readNumbers(client: Client): Promise<Numbers> {
  const { rows } = await client.query(NUMBERS)
  return numbersOf(rows[0])
}

/** Takes the lock of the number, then gives up the old one: there is no moment in which the instance has none. */
async function lock(session: Session, number: number): Promise<void> {
  // Locks have signed keys, the tables of the server unsigned ones.
  const key = session.oid | 0
  await session.client.query({ name: 'lock', text: 'SELECT pg_advisory_lock_shared($1, $2)', values: [key, number] })
  const old = session.held
  session.held = number
  if (old !== undefined) {
    const values = [key, old]
    await session.client.query({ name: 'unlock', text: 'SELECT pg_advisory_unlock_shared($1, $2)', values })
  }
}

/** PostgreSQL 13 knows no such thing; there it takes the time of TCP. */
async function endWhenSilent(client: Client): Promise<void> {
  try {
    await client.query(`SET idle_session_timeout = ${SILENT_MS}`)
  } catch (error) {
    if (!(error instanceof DatabaseError && error.code === UNKNOWN_SETTING)) throw error
  }
}

const UNKNOWN_SETTING = '42704'
