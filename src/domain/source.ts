import type { BadLineReason } from './bad-lines.ts'
import { invalid, notFound, type UserError } from './errors.ts'
import { formatNumber } from './format-number.ts'

/** What happens to animals that are missing from the file. */
export const MISSING_RULES = ['sold', 'delete', 'keep'] as const
export type MissingRule = (typeof MISSING_RULES)[number]

export interface SourceSettings {
  /** The column with the ids of the other software; found by its usual names if undefined. */
  keyColumn: string | undefined
  missing: MissingRule
  /** A number or a share, such as 10%; see `allowedRemovals`. */
  maxRemovals: string | undefined
  /** How long after a file the next one is expected; learned from the runs if undefined. */
  pauseSeconds: number | undefined
  /** What words in its files mean, one on each line, as `parseMeanings` reads them. */
  meanings: string | undefined
  /** Whether unknown words in the column of categories become new ones. */
  newCategories: boolean
}

export type SourceReading = Pick<SourceSettings, 'keyColumn' | 'meanings' | 'newCategories'>

/** Undefined settings stay; null is the default. */
export type SourceChange = {
  [Name in keyof SourceSettings]?: undefined extends SourceSettings[Name]
    ? SourceSettings[Name] | null
    : SourceSettings[Name] | undefined
}

/** A file that other software writes again and again, with all animals of a shelter and ids of its own. Times are Unix milliseconds. */
export interface Source extends SourceSettings {
  id: bigint
  /** Unique, ignoring case. */
  name: string
  createdAt: number
  lastRun: SourceRun | undefined
  /** When files were taken over, the latest first: the last RUNS_LEARNED_FROM. */
  syncedAt: readonly number[]
}

export interface SourceRun extends SyncCounts {
  id: bigint
  at: number
  actor: string
  tokenId: bigint | undefined
  file: string
  /** The entry of the audit log; undefined if no animal was changed. */
  auditId: bigint | undefined
  /** Why the file was refused; undefined if it was not. */
  refusal: string | undefined
  reasons: readonly BadLineReason[]
}

/** Each line is counted once, except that removed animals have none. */
export interface SyncCounts {
  read: number
  added: number
  corrected: number
  /** Animals that were missing, and are in the file again. */
  returned: number
  /** Animals that were deleted or became sold, because they are missing. */
  removed: number
  unchanged: number
  leftOut: number
}

/** More are not kept. */
export const MAX_RUNS_KEPT = 100
export const RUNS_LEARNED_FROM = 10

export const DEFAULT_SOURCE: SourceSettings = {
  keyColumn: undefined,
  missing: 'sold',
  maxRemovals: undefined,
  pauseSeconds: undefined,
  meanings: undefined,
  newCategories: false,
}

export const SOURCE_NAME_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$'
export const SOURCE_NAME_RULE = '1 to 64 letters, digits, points, underscores and hyphens, with a letter or digit first'
export const MAX_REMOVALS_PATTERN = '^([0-9]{1,9}|(100|[0-9]{1,2})%)$'
export const MAX_REMOVALS_RULE = 'a number of animals such as 20, or a share such as 10%'
export const MAX_PAUSE_SECONDS = 31_536_000

export function noSuchSource(name: string): UserError {
  return notFound(`There is no source "${name}".`)
}

/** The name is part of addresses. @throws UserError */
export function parseSourceName(text: string): string {
  if (new RegExp(SOURCE_NAME_PATTERN).test(text)) return text
  throw invalid(`The name of a source must be ${SOURCE_NAME_RULE}.`, 'name')
}

/** @throws UserError */
export function parseMaxRemovals(text: string): string {
  if (new RegExp(MAX_REMOVALS_PATTERN).test(text)) return text
  throw invalid(`The most removals must be ${MAX_REMOVALS_RULE}.`, 'maxRemovals')
}

/** Of small sources, a tenth would be less than one animal. */
const ALWAYS_ALLOWED = 2

/**
 * How many of the animals of a source a file may remove. A given number or share is exact. By default, it is 10 %, or 2 animals if that is more, but
 * never all of them: an empty file is more likely an accident.
 */
export function allowedRemovals(maxRemovals: string | undefined, animals: number): number {
  if (maxRemovals === undefined) {
    return Math.max(0, Math.min(Math.max(Math.floor(animals / 10), ALWAYS_ALLOWED), animals - 1))
  }
  const number = Number.parseInt(maxRemovals, 10)
  return maxRemovals.endsWith('%') ? Math.floor((animals * number) / 100) : number
}

export function tooManyRemovals(removals: number, animals: number, allowed: number, missing: MissingRule): string {
  const action = missing === 'delete' ? 'delete' : 'mark as sold'
  const theyAre = removals === 1 ? 'it is' : 'they are'
  const are = allowed === 1 ? 'is' : 'are'
  return `The file would ${action} ${formatNumber(removals)} of ${formatNumber(animals)} animals, because ${theyAre} missing; at most ${formatNumber(allowed)} ${are} allowed. If ${theyAre} really gone, allow ${formatNumber(removals)}.`
}

/** Files that follow each other more quickly are trials, not a rhythm. */
const MIN_PAUSE_MS = 3_600_000

/** How long after a file the next one is expected: set, or the median of the last pauses. Undefined as long as it is not known. */
export function expectedPauseMs({ pauseSeconds, syncedAt }: Pick<Source, 'pauseSeconds' | 'syncedAt'>) {
  if (pauseSeconds !== undefined) return pauseSeconds * 1_000
  const pauses = syncedAt
    .slice(1)
    .map((at, index) => (syncedAt[index] as number) - at)
    .filter(pause => pause >= MIN_PAUSE_MS)
  return pauses.toSorted((one, other) => one - other)[Math.floor(pauses.length / 2)]
}

/** When the next file is expected. Undefined as long as it is not known. */
export function nextExpectedAt(source: Source): number | undefined {
  const pause = expectedPauseMs(source)
  return pause === undefined ? undefined : (source.syncedAt[0] ?? source.createdAt) + pause
}

/** A file is missing once twice its usual pause has passed. */
export function isLate(source: Source, now: number): boolean {
  const pause = expectedPauseMs(source)
  return pause !== undefined && now > (source.syncedAt[0] ?? source.createdAt) + 2 * pause
}
