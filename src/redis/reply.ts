import type { Ban } from '../domain/ban.ts'
import type { Counts } from '../domain/rate-limiter.ts'

/** What consume.lua answers. Times are Unix milliseconds. */
export interface Reply {
  /** Of "late" and "missing" there is nothing but the server's clock. */
  outcome: (typeof OUTCOMES)[number]
  /** What the server's clock said. */
  clock: number
  /** By the clock that the windows go by. */
  decidedAt: number
  /** A window that has not begun is absent. */
  counts: Counts
  /** The newest ban that was there; of one that only the caller knew, nothing but its times. */
  ban: Omit<Ban, 'keyId' | 'liftedAt'> | undefined
}

const OUTCOMES = ['late', 'missing', 'known', 'admitted', 'refused', 'banned', 'pending', 'claimed'] as const

/**
 * Reads an answer of the script.
 * @param windows 2, or 1 where the minute is all that counts
 * @throws TypeError for anything else: it must not be taken for a decision
 */
export function parseReply(reply: unknown, windows: number): Reply {
  const [name, ...numbers]: unknown[] = Array.isArray(reply) ? reply : []
  const outcome = OUTCOMES.find(one => one === name)
  const isShort = outcome === 'late' || outcome === 'missing'
  const lengths = isShort ? [1] : [2 + 2 * windows, 6 + 2 * windows]
  if (!outcome || !lengths.includes(numbers.length) || !areNumbers(numbers)) {
    throw new TypeError('Redis has answered something else than what it was asked.')
  }
  const [clock = 0, decidedAt = 0, minuteUsed = 0, minuteEnds = 0, dayUsed = 0, dayEnds = 0] = numbers
  const [id, startedAt, endsAt, ordinal] = numbers.slice(2 + 2 * windows)
  return {
    outcome,
    clock,
    decidedAt,
    counts: {
      ...(minuteUsed > 0 && { minute: { used: minuteUsed, resetsAt: minuteEnds } }),
      ...(windows === 2 && dayUsed > 0 && { day: { used: dayUsed, resetsAt: dayEnds } }),
    },
    ban:
      id === undefined || startedAt === undefined || endsAt === undefined || ordinal === undefined
        ? undefined
        : { id: BigInt(id), startedAt, endsAt, ordinal },
  }
}

function areNumbers(values: readonly unknown[]): values is number[] {
  return values.every(Number.isSafeInteger)
}
