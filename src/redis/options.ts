import type { BanPolicy } from '../domain/ban.ts'
import type { AccountStore } from '../domain/store/accounts.ts'
import type { AnimalStore } from '../domain/store/animals.ts'

export interface RedisLimiterOptions {
  store: AccountStore & Pick<AnimalStore, 'cursorSecret'>
  ban: BanPolicy
  anonymousPerMinute: number
  /** How many instances count together. */
  instances(): number
  /** Unix milliseconds, by the clock of this process. */
  now(): number
  /** Whether windows and bans follow that clock instead of the clock of Redis. */
  ownClock: boolean
  watch: LimiterWatch
}

interface LimiterWatch {
  /** A ban could not be stored. */
  failed(error: unknown): void
  /** Redis, or a node of it, cannot be used: this process counts calls alone, against this instance's share. */
  lost(error: unknown): void
  /** All of Redis can be used again, and knows the calls that were admitted without it. */
  returned(): void
  /** A call was decided in this process alone. */
  decidedAlone(): void
}
