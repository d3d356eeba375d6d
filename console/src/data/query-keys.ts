import type { InfiniteData } from '@tanstack/react-query'
import type { RememberedMeanings } from '../../../src/domain/describe-columns.ts'
import type { Answer, Query } from '../api/call.ts'
import type * as Api from '../api/schema.ts'

/** A list, page by page. */
export type Pages<Row> = InfiniteData<Answer<Row[]>, Query>

/** The first rows of a list. */
export interface Head<Row> {
  rows: Row[]
  hasMore: boolean
}

/** An ended session is kept until someone signs in: meanwhile, its operator's work stays on the page. */
export interface KnownSession extends Api.Session {
  hasEnded?: true
}

/** Everything that the cache holds: by resource and shape, the type of the data. Whatever changes a resource refreshes all its shapes. */
interface Held {
  pets: {
    pages: Pages<Api.Pet>
    deleted: Pages<Api.DeletedPet>
    one: Api.Pet
    found: Api.Pet[]
    totals: Api.PetTotals
    history: Pages<Api.PetEvent>
    preview: Api.PetPreview
  }
  categories: { all: Api.CategoryUse[] }
  accounts: {
    pages: Pages<Api.AccountWithUsage>
    one: Api.Account
    name: string
    found: Api.AccountWithUsage[]
    head: Head<Api.AccountWithUsage>
    windows: Api.Windows
  }
  keys: {
    pages: Pages<Api.Key>
    one: Api.Key
    names: Api.Key[]
    found: Api.Key[]
    head: Head<Api.Key>
    bans: Pages<Api.Ban>
  }
  claimLinks: { pages: Pages<Api.ClaimLink> }
  refusals: { newest: Api.Refusal[] }
  bans: { pages: Pages<Api.Ban>; head: Head<Api.Ban> }
  audit: {
    pages: Pages<Api.AuditEntry>
    one: Api.AuditEntry | null
    head: Head<Api.AuditEntry>
    newest: Api.AuditEntry[]
    undo: Api.UndoPreview
    pets: Pages<Api.PetOfEntry>
  }
  usage: { sums: Api.Usage[]; deprecated: Api.DeprecatedUsage[] }
  /** What the charts show. Its type belongs to their screen. */
  charts: { calls: unknown }
  sources: { all: Api.Source[]; runs: Pages<Api.SourceRun> }
  tokens: { pages: Pages<Api.Token> }
  service: { health: Api.Health; doctor: Api.Doctor; settings: Api.Setting[]; version: Api.Version }
  session: { own: KnownSession | null }
  /** Both versions of an animal stay as they were when the operator was asked. */
  conflicts: { theirs: Api.Pet }
  imports: { csv: Api.CsvPreview; lines: string[]; running: Api.RunningImport | null; meanings: Remembered | null }
}

export type Remembered = RememberedMeanings<Api.AuditEntry>

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
