import { type Address, parseAddress } from './address.ts'
import type { Sender } from './call.ts'
import { addressTold } from './proxy-protocol.ts'
import type { IsTrusted } from './trusted-proxies.ts'

/** Tells whose address a call comes from, if that can be told. */
export type ClientAddress = (sender: Sender) => Address | undefined

/**
 * The last address on the way that no trusted proxy stands at: whatever is left of it in `X-Forwarded-For` may be invented. The way ends
 * with the connection, or with the one of which its PROXY header told; who brings a header that tells no address has no say here.
 */
export function buildClientAddress(isTrusted: IsTrusted): ClientAddress {
  return ({ socket, headers }) => {
    const told = addressTold(socket)
    let address = parseAddress(told ?? socket.remoteAddress ?? '')
    const forwarded = told === null ? undefined : headers['x-forwarded-for']
    const hops = forwarded === undefined ? [] : String(forwarded).split(',')
    while (address && isTrusted(address)) {
      const next = parseAddress(hops.pop()?.trim() ?? '')
      if (!next) break
      address = next
    }
    return address
  }
}
