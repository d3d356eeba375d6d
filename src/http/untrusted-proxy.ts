import { parseAddress } from './address.ts'
import type { Sender } from './call.ts'
import type { IsTrusted } from './client-address.ts'

const REPORT_EVERY_MS = 3_600_000

/** Takes note of a call. */
export type WatchProxies = (sender: Sender, now: number) => void

/**
 * Reports calls with `X-Forwarded-For` from an address that is not trusted, at most once an hour. If it is a proxy, all its callers count as one
 * address.
 */
export function buildWatchProxies(isTrusted: IsTrusted, onUntrusted: (address: string) => void): WatchProxies {
  let reportedAt = Number.NEGATIVE_INFINITY
  /** So that the usual proxy is not looked up for each call. */
  let lastTrusted: string | undefined
  return ({ socket, headers }, now) => {
    const { remoteAddress } = socket
    if (headers['x-forwarded-for'] === undefined || remoteAddress === undefined || remoteAddress === lastTrusted) return
    if (now >= reportedAt && now - reportedAt < REPORT_EVERY_MS) return
    const address = parseAddress(remoteAddress)
    if (!address) return
    if (isTrusted(address)) {
      lastTrusted = remoteAddress
    } else {
      reportedAt = now
      onUntrusted(address.toString())
    }
  }
}
