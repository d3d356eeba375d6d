import type { InfiniteData } from '@tanstack/react-query'
import type { Answer, Query } from '../api/call.ts'
import type {
  Account,
  Key as ApiKey,
  AuditEntry,
  Ban,
  CategoryUse,
  ClaimLink,
  CsvPreview,
  DeprecatedUsage,
  Doctor,
  Health,
  Pet,
  PetEvent,
  PetPreview,
  PetTotals,
  RunningImport,
  Session,
  Setting,
  Token,
  Usage,
  Version,
  Windows,
} from '../api/schema.ts'

/** A list, page by page. */
export type Pages<Row> = InfiniteData<Answer<Row[]>, Query>

/** The first rows of a list. */
export interface Head<Row> {
  rows: Row[]
  hasMore: boolean
}

/** An ended session is kept until someone signs in: meanwhile, its operator's work stays on the page. */
export interface KnownSession extends Session {
  hasEnded?: true
}

/** Everything that the cache holds: by resource and shape, the type of the data. Whatever changes a resource refreshes all its shapes. */
interface Held {
  pets: {
    pages: Pages<Pet>
    one: Pet
    found: Pet[]
    totals: PetTotals
    history: Pages<PetEvent>
    preview: PetPreview
  }
  categories: { all: CategoryUse[] }
  accounts: {
    pages: Pages<Account>
    one: Account
    name: string
    found: Account[]
    head: Head<Account>
    windows: Windows
  }
  keys: { pages: Pages<ApiKey>; one: ApiKey; names: ApiKey[]; found: ApiKey[]; head: Head<ApiKey>; bans: Pages<Ban> }
  claimLinks: { pages: Pages<ClaimLink> }
  bans: { pages: Pages<Ban>; head: Head<Ban> }
  audit: { pages: Pages<AuditEntry>; one: AuditEntry | null; head: Head<AuditEntry>; newest: AuditEntry[] }
  usage: { sums: Usage[]; deprecated: DeprecatedUsage[] }
  /** What the charts show. Its type belongs to their screen. */
  charts: { calls: unknown }
  tokens: { pages: Pages<Token> }
  service: { health: Health; doctor: Doctor; settings: Setting[]; version: Version }
  session: { own: KnownSession | null }
  /** Both versions of an animal stay as they were when the operator was asked. */
  conflicts: { theirs: Pet }
  imports: { csv: CsvPreview; lines: string[]; running: RunningImport | null }
}

export type Resource = keyof Held

declare const HELD: unique symbol

/** A key of the cache, with the type of its data. Only this file can make one. */
export type Key<Data = unknown> = readonly [resource: Resource, shape: string, ...parts: unknown[]] & {
  readonly [HELD]: Data
}

declare module '@tanstack/react-query' {
  interface Register {
    queryKey: Key
  }
}

/**
 * The key of some data.
 * @param parts what distinguishes it from other data of the same shape; without any, it matches all data of this shape
 */
export function cacheKey<Of extends Resource, Shape extends keyof Held[Of] & string>(
  resource: Of,
  shape: Shape,
  ...parts: readonly unknown[]
): Key<Held[Of][Shape]> {
  return [resource, shape, ...parts] as unknown as Key<Held[Of][Shape]>
}
