import type { Caller } from '../../../src/domain/account.ts'
import { createAccount } from '../../../src/domain/administration/accounts.ts'
import { issueKey } from '../../../src/domain/administration/keys.ts'
import type { BanPolicy } from '../../../src/domain/ban.ts'
import type { Limits } from '../../../src/domain/plan.ts'
import type { AddressLimiter, RateLimiter } from '../../../src/domain/rate-limiter.ts'
import { hashSecret } from '../../../src/domain/secret.ts'
import type { Store } from '../../../src/domain/store.ts'
import { openRedisLimiters } from '../../../src/redis/limiters.ts'
import { adminContext } from '../admin-context.ts'

/** The limiters of one instance, and the events they reported. */
export interface TestLimiters {
  accounts: RateLimiter
  addresses: AddressLimiter
  /** The errors of bans that could not be stored, and the reasons for each loss of Redis. */
  failed: unknown[]
  lost: unknown[]
  returned: number
  decidedAlone: number
  announce(): void
  close(): Promise<void>
}

export interface TestLimitersOptions {
  store: Store
  instances?: number
  /** Limits use the clock of each call instead of that of Redis. */
  ownClock?: boolean
  ban?: BanPolicy
  anonymousPerMinute?: number
  newsArrived?(): void
}

export const BAN_POLICY: BanPolicy = { after: 10, withinSeconds: 600, forSeconds: 900, maxSeconds: 86_400 }

export async function openLimiters(urls: readonly string[], options: TestLimitersOptions): Promise<TestLimiters> {
  const { store, instances = 1, ownClock = false, ban = BAN_POLICY, anonymousPerMinute = 600 } = options
  const events = { failed: [] as unknown[], lost: [] as unknown[], returned: 0, decidedAlone: 0 }
  const limiters = await openRedisLimiters(urls, {
    store,
    instances: () => instances,
    now: Date.now,
    ownClock,
    newsArrived: options.newsArrived ?? (() => {}),
    watch: {
      failed: error => events.failed.push(error),
      lost: error => events.lost.push(error),
      returned: () => {
        events.returned += 1
      },
      decidedAlone: () => {
        events.decidedAlone += 1
      },
    },
    ban,
    anonymousPerMinute,
  })
  return Object.assign(events, limiters)
}

let accounts = 0

/** Creates a key of a new account. */
export async function createCaller(store: Store, limits: Limits): Promise<Caller> {
  accounts += 1
  const account = `account-${accounts}`
  const operator = adminContext(store, Date.now())
  await createAccount(operator, { name: account, plan: 'enterprise', limits })
  const { key } = await issueKey(operator, { account })
  return (await store.findCaller(hashSecret(key))) as Caller
}
