import { isIP, type Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import { afterSilence } from '../domain/silence.ts'

/**
 * The PROXY protocol, versions 1 and 2: a load balancer that does not speak HTTP names the client in the first bytes of a connection.
 * https://www.haproxy.org/download/3.2/doc/proxy-protocol.txt
 */
export interface ProxyHeader {
  /** In bytes. */
  length: number
  /** The client's address; undefined if the proxy speaks for itself or does not know it. */
  address: string | undefined
}

export function readProxyHeader(bytes: Buffer): ProxyHeader | 'incomplete' | 'malformed' {
  if (startsAlike(bytes, V2_SIGNATURE)) return readVersion2(bytes)
  if (startsAlike(bytes, V1_SIGNATURE)) return readVersion1(bytes)
  return 'malformed'
}

/** Reads the header of a connection, then passes the connection on with the bytes that followed. Closes it if no header arrives in time. */
export function takeProxyHeader(
  socket: Socket,
  timeoutMs: number,
  handOn: (header: ProxyHeader) => void,
  refuse: (reason: string) => void,
): void {
  let received: Buffer = Buffer.alloc(0)
  const completed = afterSilence(timeoutMs, () => end('its PROXY header did not arrive in time'))
  socket.on('data', read).on('end', leave).on('error', leave).on('close', forget)

  function read(bytes: Buffer): void {
    received = received.length === 0 ? bytes : Buffer.concat([received, bytes])
    const header = readProxyHeader(received)
    if (header === 'malformed') end('it does not begin with a PROXY header')
    else if (header !== 'incomplete') proceed(header)
  }

  function proceed(header: ProxyHeader): void {
    forget()
    const proxied: ProxiedSocket = socket
    proxied[ADDRESS] = header.address ?? null
    // Paused, so that no byte is lost before the next listener is attached.
    socket.pause()
    socket.unshift(received.subarray(header.length))
    handOn(header)
    socket.resume()
  }

  function end(reason: string): void {
    refuse(reason)
    leave()
  }

  function leave(): void {
    socket.destroy()
  }

  function forget(): void {
    completed()
    socket.off('data', read).off('end', leave).off('error', leave).off('close', forget)
  }
}

/** The client's address in the PROXY header of a connection; null if the header has none, undefined if there was no header. */
export function proxiedAddress(socket: ProxiedSocket): string | null | undefined {
  return socket[ADDRESS]
}

/** Copies the address from the raw socket of a connection to the one that decrypts it. */
export function copyProxiedAddress(from: ProxiedSocket, to: ProxiedSocket): void {
  const address = from[ADDRESS]
  if (address !== undefined) to[ADDRESS] = address
}

const ADDRESS = Symbol('address in the PROXY header')

interface ProxiedSocket extends Socket {
  [ADDRESS]?: string | null
}

const V1_SIGNATURE = Buffer.from('PROXY ')
const V1_MAX_BYTES = 107
const V2_SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1')
const V2_FIXED_LENGTH = 16
/** The addresses are followed by extensions, such as the name of a TLS certificate. Load balancers send at most one or two kilobytes of them. */
const V2_MAX_BYTES = 4_096
const V2_LOCAL = 0x20
const V2_PROXY = 0x21
/** The length of the client's address, by family and transport; 0 if no call can come from such an address. */
const V2_ADDRESS_BYTES = new Map([
  [0x00, 0], // unspecified
  [0x11, 4], // TCP over IPv4
  [0x12, 0], // UDP over IPv4
  [0x21, 16], // TCP over IPv6
  [0x22, 0], // UDP over IPv6
  [0x31, 0], // UNIX stream
  [0x32, 0], // UNIX datagram
])

/** Whether the bytes that have arrived so far match this beginning. */
function startsAlike(bytes: Buffer, beginning: Buffer): boolean {
  const common = Math.min(bytes.length, beginning.length)
  return bytes.subarray(0, common).equals(beginning.subarray(0, common))
}

/** Such as "PROXY TCP4 192.0.2.7 198.51.100.1 56324 443\r\n". */
function readVersion1(bytes: Buffer): ProxyHeader | 'incomplete' | 'malformed' {
  const text = bytes.toString('latin1', 0, V1_MAX_BYTES)
  const end = text.indexOf('\r\n')
  if (end === -1) return bytes.length < V1_MAX_BYTES ? 'incomplete' : 'malformed'
  const length = end + 2
  const [, protocol = '', source = '', destination = '', ...ports] = text.slice(0, end).split(' ')
  if (protocol === 'UNKNOWN') return { length, address: undefined }
  const family = protocol === 'TCP4' ? 4 : 6
  const isKnown = protocol === `TCP${family}` && isIP(source) === family && isIP(destination) === family
  return isKnown && ports.length === 2 && ports.every(isPort) ? { length, address: source } : 'malformed'
}

function isPort(text: string): boolean {
  return /^(0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 65_535
}

/** Signature, version and command, family and transport, length of the rest; addresses of client and proxy, their ports, extensions. */
function readVersion2(bytes: Buffer): ProxyHeader | 'incomplete' | 'malformed' {
  if (bytes.length < V2_FIXED_LENGTH) return 'incomplete'
  const command = bytes.readUInt8(12)
  const addressBytes = command === V2_LOCAL ? 0 : V2_ADDRESS_BYTES.get(bytes.readUInt8(13))
  const length = V2_FIXED_LENGTH + bytes.readUInt16BE(14)
  if (command !== V2_LOCAL && command !== V2_PROXY) return 'malformed'
  if (addressBytes === undefined || length > V2_MAX_BYTES) return 'malformed'
  if (addressBytes > 0 && length < V2_FIXED_LENGTH + 2 * (addressBytes + 2)) return 'malformed'
  if (bytes.length < length) return 'incomplete'
  if (addressBytes === 0) return { length, address: undefined }
  const address = bytes.subarray(V2_FIXED_LENGTH, V2_FIXED_LENGTH + addressBytes)
  return { length, address: ipaddr.fromByteArray([...address]).toString() }
}
