import type { UsageStore } from '../store/usage.ts'
import type { UsageRange } from '../usage.ts'

/** The accounts that still call a deprecated operation, without deleted ones. */
export interface DeprecatedUsage {
  operation: string
  range: UsageRange
  accounts: number
  /** Admitted calls of all these accounts. */
  calls: number
  lastAt: number | undefined
  /** Most calls first. */
  callers: DeprecatedCaller[]
}

export interface DeprecatedCaller {
  accountId: bigint
  accountName: string
  calls: number
  lastAt: number
}

export async function sumDeprecatedUsage(
  store: UsageStore,
  { operation, range, limit }: { operation: string; range: UsageRange; limit: number },
  signal?: AbortSignal,
): Promise<DeprecatedUsage> {
  const sums = await store.sumUsage({ range, operation, by: ['account'] }, signal)
  const callers = sums.flatMap(({ accountId, accountName, admitted, lastAt }) =>
    accountId === undefined || accountName === undefined || admitted === 0
      ? []
      : [{ accountId, accountName, calls: admitted, lastAt }],
  )
  const last = callers.reduce((latest, { lastAt }) => Math.max(latest, lastAt), 0)
  return {
    operation,
    range,
    accounts: callers.length,
    calls: callers.reduce((sum, { calls }) => sum + calls, 0),
    lastAt: callers.length === 0 ? undefined : last,
    callers: callers.toSorted((one, other) => other.calls - one.calls).slice(0, limit),
  }
}
