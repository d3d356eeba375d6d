import type { UserError } from '../../domain/errors.ts'
import type { Source } from '../../domain/source.ts'
import type { Awaitable } from '../../http/awaitable.ts'
import type { Database } from '../../postgres/inspect.ts'
import type { StoreFacts } from '../../sql/store-facts.ts'
import type { Holdings } from '../../sqlite/backup/inspect.ts'
import type { Config, ListenerName } from '../config.ts'
import type { Environment } from '../settings.ts'
import type { Verdict } from './verdict.ts'

/** What checks need. A program that lacks a fact does not run the checks that need it. */
export interface Facts {
  now: number
  env: Environment
  /** All settings, if they are valid. */
  config: Config
  problems: readonly string[]
  /** Where the store is and where calls are counted, even if other settings are invalid. */
  places: Pick<Config, 'dataFolder' | 'databaseUrl' | 'redisUrls'>
  /** Of the embedded store. */
  folder: string
  /** The store in the folder, or why it cannot be read. */
  holdings: Holdings | UserError
  /** Why PostgreSQL cannot be used. */
  unreachable: string
  database: Database
  engine: { name: string; newestStoreVersion: number }
  /** A store of either kind that can be read. */
  store: StoreFacts
  /** Whether the counts and the name index match the animals, and the commands or statements that rebuild them. */
  index: { isRight(): Awaitable<boolean>; remedy: string }
  sources: readonly Source[]
  clock: { newestTime?: number | undefined; clockConfirmedAt?: number | undefined; inDoubtSince?: number | undefined }
  service: ServiceState
}

export interface ServiceState {
  config: Config
  checkStore(): Promise<Verdict>
  isStopping(): boolean
  /** What is wrong at the moment, since when, and the error that caused it. */
  troubles: Map<'overload' | 'redis' | 'changes', { since: number; error?: unknown }>
  certificates: { check(listener: ListenerName, now: number): Verdict[] }
  /** Of the embedded store. */
  disk?: { check(now: number): Verdict }
  /** If there are any. */
  backups?: { check(now: number): Verdict }
}
