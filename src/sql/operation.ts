import type { Query } from './statement.ts'
import { type Read, read, type Write } from './write.ts'

/** A method of a store as a value: how it runs, and its statements. `SqlStore` has a method for each. */
export type Operation = ShortRead<never[], unknown> | LongRead<never, unknown> | WriteOperation<never[], unknown>

/** A read of one statement that never takes long. */
export interface ShortRead<Args extends unknown[], Result> {
  readonly kind: 'short read'
  query(...args: Args): Query<Result>
}

/** A read that may take long, without delaying other calls. Its method also takes an `AbortSignal`. */
export interface LongRead<Question, Result> {
  readonly kind: 'long read'
  steps(question: Question): Read<Result>
}

export interface WriteOperation<Args extends unknown[], Result> extends WriteRules {
  readonly kind: 'write'
  steps(...args: Args): Write<Result>
}

interface WriteRules {
  /** The number of the revision that it changes, unless it finds nothing to change: the write ends when all instances have seen that. */
  readonly changes: 'callers' | 'corrections' | 'no revision'
  /** Writes about animals run one after another, and so do all others. On PostgreSQL, neither kind waits for the other. */
  readonly isOfAnimals?: boolean
  /** Whether it may take longer than a call. */
  readonly isLong?: boolean
  /** Whether a caller of the public API waits for it. It does not wait longer for an instance that hangs. */
  readonly isInCall?: boolean
  /** Whether it runs in the background: it does not wait for its turn, and does nothing while another write has its rows. */
  readonly isInBackground?: boolean
}

/** The operations of a port, by the names of its methods. */
export type Operations<Port> = {
  [Name in keyof Port]: Port[Name] extends (...args: infer Args) => Promise<infer Result>
    ? ShortRead<Args, Result> | LongRead<Args[0], Result> | WriteOperation<Args, Result>
    : never
}

export function shortRead<Args extends unknown[], Result>(
  query: (...args: Args) => Query<Result>,
): ShortRead<Args, Result> {
  return { kind: 'short read', query }
}

export function longRead<Question, Result>(query: (question: Question) => Query<Result>): LongRead<Question, Result> {
  return longReadInSteps(question => read(query(question)))
}

export function longReadInSteps<Question, Result>(
  steps: (question: Question) => Read<Result>,
): LongRead<Question, Result> {
  return { kind: 'long read', steps }
}

/** Returns a function that makes such a write of the steps of a method. */
export function writeOf(rules: WriteRules) {
  return <Method extends (...args: never[]) => Promise<unknown>>(
    steps: (...args: Parameters<Method>) => Write<Awaited<ReturnType<Method>>>,
  ): WriteOperation<Parameters<Method>, Awaited<ReturnType<Method>>> => ({ kind: 'write', ...rules, steps })
}

export const plainWrite = writeOf({ changes: 'no revision' })
export const callersWrite = writeOf({ changes: 'callers' })
export const correction = writeOf({ changes: 'corrections', isOfAnimals: true })
export const bulkCorrection = writeOf({ changes: 'corrections', isOfAnimals: true, isLong: true })
