import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROUNDS } from '../support/duration-factor.ts'
import type { Answer, Connection } from '../support/raw.ts'
import type { Phase } from './phases.ts'

/** The action of a client once it has reached a phase, and what it must see then, if it still sees anything. */
export type Action = (phase: Phase, open: () => Promise<Connection>) => Promise<void>

/** How often each action is tried. */
const TIMES = 2 * ROUNDS
/** The maximum time to the first byte of an answer; not every phase has one. */
const FIRST_BYTE_MS = 50
const FLOOD_BYTES = 1_048_576
const FLOOD = Buffer.alloc(65_536, 'x')

/** The active clients. */
export const DOING: Record<string, Action> = {
  async 'a reset'(phase, open) {
    const moments: ((connection: Connection) => Promise<unknown>)[] = [
      async () => {},
      () => sleep(1),
      connection => Promise.race([connection.arrival().catch(() => {}), sleep(FIRST_BYTE_MS)]),
    ]
    await repeat(TIMES, async () => {
      await Promise.all(
        moments.map(async moment => {
          const connection = await reach(phase, open)
          await moment(connection)
          connection.reset()
        }),
      )
    })
  },

  async 'a half-close'(phase, open) {
    await repeat(TIMES, async () => {
      const connection = await reach(phase, open)
      connection.end()
      assertAnswers(phase, await connection.answersUntilEnd(), phase.endsIn === 'part' ? [[400, 408]] : [])
    })
  },

  async 'a flood'(phase, open) {
    const connection = await reach(phase, open)
    const answers = connection.answersUntilEnd()
    for (let sent = 0; sent < FLOOD_BYTES && !connection.isEnded; sent += FLOOD.length) {
      connection.write(FLOOD)
      while (connection.unsentBytes > FLOOD.length && !connection.isEnded) await sleep(1)
    }
    const seen = (await answers).map(({ status }) => status).filter(status => status >= 200)
    const behind = seen.slice(unread(phase).length)
    // A client that still sends when the connection is closed is cut off, and may not see its last answers.
    if (connection.isBroken && behind.length === 0) {
      return assert.deepEqual(seen, unread(phase).slice(0, seen.length))
    }
    // A flood may complete the request that it is part of; the rest of it is not a request.
    assertAnswers(phase, await answers, phase.endsIn === 'close' ? [] : behind.map(() => [400, 408, 413, 414, 431]))
    assert.ok(behind.length <= 2, `one flood is answered ${behind.length} times`)
    // Nothing can be read after it, so no client may be invited to send more.
    if (behind.length > 0) assert.equal((await answers).at(-1)?.header('connection'), 'close')
  },
}

/** The idle clients. */
export const WAITING: Record<string, Action> = {
  async silence(phase, open) {
    const connection = await reach(phase, open)
    const answers = await connection.answersUntilEnd()
    // A client that has not begun a request may get a timeout response, or just be disconnected.
    const isTold = phase.endsIn === 'part' || answers.length > unread(phase).length
    assertAnswers(phase, answers, isTold ? [[408]] : [])
  },

  async 'a refusal to read'(phase, open) {
    const connection = await reach(phase, open)
    connection.stopReading()
    // The effect shows on the server: in the end, no connection is left.
  },
}

async function repeat(times: number, work: () => Promise<void>): Promise<void> {
  for (let round = 0; round < times; round += 1) await work()
}

/** Opens a connection and brings it into the phase. */
async function reach(phase: Phase, open: () => Promise<Connection>): Promise<Connection> {
  const connection = await open()
  connection.write(Buffer.from(phase.bytes, 'latin1'))
  if (phase.readsFirst) for (const status of phase.answers) assert.equal((await connection.answer()).status, status)
  return connection
}

/** The requests that are still unanswered when the phase is reached. */
function unread({ answers, readsFirst }: Phase): readonly number[] {
  return readsFirst ? [] : answers
}

/** Asserts that each complete request was answered once, in order, and anything after them with one of these. */
function assertAnswers(phase: Phase, answers: readonly Answer[], behind: readonly (readonly number[])[]): void {
  const seen = answers.map(({ status }) => status).filter(status => status >= 200)
  const hasEndedEarly = phase.mayEndEarly && answers.at(-1)?.header('connection') === 'close'
  const all = [...unread(phase).map(status => [status]), ...behind]
  const expected = hasEndedEarly ? all.slice(0, Math.max(1, seen.length)) : all
  const isExpected = seen.length === expected.length && expected.every((any, index) => any.includes(seen[index] ?? 0))
  assert.ok(isExpected, `answered ${seen.join(' ') || 'nothing'} instead of ${expected.join(' ') || 'nothing'}`)
}
