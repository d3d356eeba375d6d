import { type Address, networkOf, parseAddress } from './address.ts'
import type { Sender } from './call.ts'
import { proxiedAddress } from './proxy-protocol.ts'

/** Returns the address that a call comes from, if known. */
export type ClientAddress = (sender: Sender) => Address | undefined

/** Whether an address belongs to a proxy that is trusted to name the client. */
export type IsTrusted = (address: Address) => boolean

/**
 * Follows `X-Forwarded-For` backwards to the last address that is not a trusted proxy; anything before it may be forged. The chain ends
 * with the address of the connection, or with the address in its PROXY header. If that header has no address, `X-Forwarded-For` is ignored.
 */
export function buildClientAddress(isTrusted: IsTrusted): ClientAddress {
  return ({ socket, headers }) => {
    const proxied = proxiedAddress(socket)
    let address = parseAddress(proxied ?? socket.remoteAddress ?? '')
    const forwarded = proxied === null ? undefined : headers['x-forwarded-for']
    const hops = forwarded === undefined ? [] : String(forwarded).split(',')
    while (address && isTrusted(address)) {
      const next = parseAddress(hops.pop()?.trim() ?? '')
      if (!next) break
      address = next
    }
    return address
  }
}

/** Returns the network of a client, as of `networkOf`. It is remembered for each connection: finding it takes longer than counting a call. */
export function buildClientNetwork(clientAddress: ClientAddress): (sender: Sender) => string {
  const last = new WeakMap<Sender['socket'], { forwarded: string | string[] | undefined; network: string }>()
  return sender => {
    const { socket, headers } = sender
    const forwarded = headers['x-forwarded-for']
    const known = last.get(socket)
    if (known && known.forwarded === forwarded) return known.network
    const network = networkOf(clientAddress(sender))
    last.set(socket, { forwarded, network })
    return network
  }
}
