import type { Ban } from '../domain/ban.ts'
import type { Limits } from '../domain/plan.ts'
import type { Counts } from '../domain/rate-limiter.ts'
import type { Connection, ScriptArguments } from './connection.ts'

/** The input of consume.lua. Times are Unix milliseconds. */
export interface Question {
  /** See consume.lua. */
  task: 'ask' | 'count' | 'again' | 'peek' | 'report'
  /** The key in Redis of the hash that counts the account or address. */
  hash: string
  /** An address has no limit per day: Infinity. */
  limits: Limits
  /** The counts as this instance last knew them. */
  known: Counts
  /** The calls that this instance has admitted alone and not yet reported. */
  unreported: Counts
  /** Redis must not count the call after this time on its own clock. */
  deadline: number
  /** Set if windows follow the caller's clock instead of that of Redis. */
  now: number | undefined
  key: KeyArgs
}

/** The API key of a call, and its source. */
export interface KeyArgs {
  /** "KEY SOURCE"; empty for an address, which has no key. */
  id: string
  /** The newest known ban of the key that applies to the source. */
  ban: readonly [id: number, start: number, end: number] | undefined
  /** The key is banned for the source after this many ignored refusals, within this many milliseconds; 0 if it cannot be banned. */
  after: number
  withinMs: number
}

export const NO_KEY: KeyArgs = { id: '', ban: undefined, after: 0, withinMs: 0 }

const NO_BAN = [0, 0, 0]

export interface Reply {
  /** With "late" and "missing", only the clock is set. */
  outcome: (typeof OUTCOMES)[number]
  /** The clock of Redis. */
  clock: number
  /** On the clock that times the windows. */
  decidedAt: number
  /** A window that has not begun is absent. */
  counts: Counts
  /** The newest ban that Redis knows. If only the caller knew the ban, only its id and times are valid. */
  ban: Pick<Ban, 'id' | 'startedAt' | 'endsAt' | 'ordinal'> | undefined
}

const OUTCOMES = ['late', 'missing', 'known', 'admitted', 'refused', 'banned', 'pending', 'claimed'] as const

/** Runs consume.lua. */
export async function consume(connection: Connection, question: Question): Promise<Reply> {
  const { task, hash, limits, known, unreported, deadline, now, key } = question
  const hasDay = Number.isFinite(limits.perDay)
  const perDay = hasDay ? limits.perDay : ''
  const args: ScriptArguments = [hash, deadline, now ?? '', task, limits.perMinute, perDay, ...numbersOf(known)]
  args.push(key.id, key.after, key.withinMs)
  // Every argument costs time, and nearly all calls need no more.
  if (key.ban || unreported.minute || unreported.day) args.push(...(key.ban ?? NO_BAN), ...numbersOf(unreported))
  return parseReply(await connection.run('consume', ...args), hasDay ? 2 : 1)
}

function numbersOf({ minute, day }: Counts): number[] {
  return [minute?.used ?? 0, minute?.resetsAt ?? 0, day?.used ?? 0, day?.resetsAt ?? 0]
}

/**
 * @param windows 2, or 1 if only the minute counts
 * @throws TypeError for anything other than a reply of the script: it must not be mistaken for a decision
 */
export function parseReply(reply: unknown, windows: number): Reply {
  const [name, ...numbers]: unknown[] = Array.isArray(reply) ? reply : []
  const outcome = OUTCOMES.find(one => one === name)
  const isShort = outcome === 'late' || outcome === 'missing'
  const lengths = isShort ? [1] : [2 + 2 * windows, 6 + 2 * windows]
  if (!outcome || !lengths.includes(numbers.length) || !areNumbers(numbers)) {
    throw new TypeError('Redis returned an unexpected reply.')
  }
  const [clock = 0, decidedAt = 0, minuteUsed = 0, minuteEnds = 0, dayUsed = 0, dayEnds = 0] = numbers
  const [id, startedAt = 0, endsAt = 0, ordinal = 0] = numbers.slice(2 + 2 * windows)
  return {
    outcome,
    clock,
    decidedAt,
    counts: {
      ...(minuteUsed > 0 && { minute: { used: minuteUsed, resetsAt: minuteEnds } }),
      ...(windows === 2 && dayUsed > 0 && { day: { used: dayUsed, resetsAt: dayEnds } }),
    },
    ban: id === undefined ? undefined : { id: BigInt(id), startedAt, endsAt, ordinal },
  }
}

function areNumbers(values: readonly unknown[]): values is number[] {
  return values.every(Number.isSafeInteger)
}
