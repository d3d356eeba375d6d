import { OutageLedger } from '../domain/outage-ledger.ts'
import type { Limits } from '../domain/plan.ts'
import type { Counts } from '../domain/rate-limiter.ts'
import type { Connection, ScriptArguments } from './connection.ts'

/** What this instance knows about one account or address. */
export interface Tally {
  /** In Redis. */
  readonly key: string
  /** As of its last call. An address has no limit per day: Infinity. */
  limits: Limits
  readonly ledger: OutageLedger
  /** Returns the counts in the store, if they are saved there. */
  readonly findSaved: (() => Promise<Counts>) | undefined
  /** Set while they are being loaded. */
  loading: Promise<void> | undefined
}

export function newTally(key: string, limits: Limits, findSaved?: () => Promise<Counts>): Tally {
  return { key, limits, ledger: new OutageLedger(), findSaved, loading: undefined }
}

/** What consume.lua is to do. */
export type Task = 'ask' | 'count' | 'again' | 'peek'

/** The API key of a call, and its source. Times are Unix milliseconds. */
export interface KeyArgs {
  /** "KEY SOURCE"; empty for an address, which has no key. */
  id: string
  /** The newest known ban of the key that applies to the source; zeros without one. */
  ban: readonly [id: number, startsAt: number, endsAt: number]
  /** The key is banned for the source after this many ignored refusals, within this many milliseconds; 0 if it cannot be banned. */
  after: number
  withinMs: number
}

export const NO_KEY: KeyArgs = { id: '', ban: [0, 0, 0], after: 0, withinMs: 0 }

/** Times are Unix milliseconds. */
export interface Reply {
  /** With "late" and "missing", only the clock is set. */
  outcome: (typeof OUTCOMES)[number]
  clock: number
  /** On the clock that times the windows. */
  decidedAt: number
  /** A window that has not begun is absent. */
  counts: Counts
  /** The end of the ban; 0 without one. */
  bannedUntil: number
}

const OUTCOMES = ['late', 'missing', 'known', 'admitted', 'refused', 'banned', 'pending', 'claimed'] as const

/**
 * Runs consume.lua, and hands over the calls that were admitted alone.
 * @param deadline Redis must not count the call after this time on its own clock
 * @param now set if windows follow the caller's clock instead of that of Redis
 */
export async function consume(
  connection: Connection,
  { key: hash, limits, ledger }: Tally,
  task: Task,
  key: KeyArgs,
  deadline: number,
  now: number | undefined,
): Promise<Reply> {
  const { minute, day } = ledger.send()
  const perDay = Number.isFinite(limits.perDay) ? limits.perDay : ''
  const known = [minute.known, minute.resetsAt, day.known, day.resetsAt]
  const args: ScriptArguments = [hash, deadline, now ?? '', task, limits.perMinute, perDay, ...known]
  args.push(key.id, key.after, key.withinMs)
  // Every argument costs time, and nearly all calls need no more.
  if (key.ban[0] > 0 || minute.alone > 0 || day.alone > 0) args.push(...key.ban, minute.alone, day.alone)
  return parseReply(await connection.run('consume', ...args))
}

/** @throws TypeError for anything other than a reply of the script: it must not be mistaken for a decision */
export function parseReply(reply: unknown): Reply {
  const [name, ...numbers]: unknown[] = Array.isArray(reply) ? reply : []
  const outcome = OUTCOMES.find(one => one === name)
  if (!outcome || numbers.length !== 7 || !areNumbers(numbers)) {
    throw new TypeError('Redis returned an unexpected reply.')
  }
  const [clock = 0, decidedAt = 0, minuteUsed = 0, minuteEnds = 0, dayUsed = 0, dayEnds = 0, bannedUntil = 0] = numbers
  return {
    outcome,
    clock,
    decidedAt,
    counts: {
      ...(minuteUsed > 0 && { minute: { used: minuteUsed, resetsAt: minuteEnds } }),
      ...(dayUsed > 0 && { day: { used: dayUsed, resetsAt: dayEnds } }),
    },
    bannedUntil,
  }
}

function areNumbers(values: readonly unknown[]): values is number[] {
  return values.every(Number.isSafeInteger)
}
