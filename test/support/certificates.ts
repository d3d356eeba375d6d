import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** A certificate and its key, in PEM. */
export interface Issued {
  cert: string
  key: string
}

export interface Wish {
  /** Host names and addresses. */
  names?: readonly string[]
  /** When it is valid, in Unix milliseconds: by default from yesterday, for 90 days. */
  from?: number
  until?: number
  keyType?: keyof typeof KEY_TYPES
  /** By default, its extended key usage is not restricted. */
  usage?: 'server' | 'client'
  isAuthority?: boolean
}

/** A private certificate authority of a test. Clients trust it through its `cert`. */
export interface Authority extends Issued {
  issue(wish?: Wish): Issued
  /** Creates an intermediate authority, signed by this one. */
  delegate(name: string, wish?: Wish): Authority
}

const DAY_MS = 86_400_000

/** Creates a certificate authority. It is not stored: certificates in a repository expire. */
export function makeAuthority(name = 'Petstore Test CA'): Authority {
  return authorityOf(name, undefined)
}

function authorityOf(name: string, above: Signer | undefined, wish: Wish = {}): Authority {
  const pair = KEY_TYPES.ec()
  const self: Signer = { name, key: pair.privateKey }
  const cert = certify(name, pair.publicKey, above ?? self, { ...wish, isAuthority: true })
  return {
    cert,
    key: pemOf(pair.privateKey),
    issue(wish = {}) {
      const own = KEY_TYPES[wish.keyType ?? 'ec']()
      return { cert: certify('Petstore Test', own.publicKey, self, wish), key: pemOf(own.privateKey) }
    },
    delegate: (of, wish) => authorityOf(of, self, wish),
  }
}

interface Signer {
  name: string
  key: KeyObject
}

const KEY_TYPES = {
  ec: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  rsa: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  weak: () => generateKeyPairSync('rsa', { modulusLength: 512 }),
  p384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  p521: () => generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  pss: () => generateKeyPairSync('rsa-pss', { modulusLength: 2048 }),
  ed25519: () => generateKeyPairSync('ed25519'),
  ed448: () => generateKeyPairSync('ed448'),
  secp256k1: () => generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
  brainpool: () => generateKeyPairSync('ec', { namedCurve: 'brainpoolP256r1' }),
  dsa: () => generateKeyPairSync('dsa', { modulusLength: 2048, divisorLength: 256 }),
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }) as string
}

/** Writes and signs a certificate (RFC 5280, section 4.1). */
function certify(name: string, publicKey: KeyObject, by: Signer, wish: Wish): string {
  const { names = ['localhost', '127.0.0.1'], usage, isAuthority = false } = wish
  const { from = Date.now() - DAY_MS, until = Date.now() + 90 * DAY_MS } = wish
  const extensions = [
    extension('551d11', der(0x30, ...names.map(generalName))),
    extension('551d13', der(0x30, ...(isAuthority ? [der(0x01, [0xff])] : []))),
    ...(usage ? [extension('551d25', der(0x30, der(0x06, Buffer.from(USAGES[usage], 'hex'))))] : []),
  ]
  const algorithm = der(0x30, ECDSA_WITH_SHA256)
  const body = der(
    0x30,
    der(0xa0, der(0x02, [2])),
    der(0x02, [0x01, ...randomBytes(15)]),
    algorithm,
    nameOf(by.name),
    der(0x30, timeOf(from), timeOf(until)),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, ...extensions)),
  )
  const signature = sign('sha256', body, by.key)
  const bytes = der(0x30, body, algorithm, der(0x03, [0], signature))
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

const ECDSA_WITH_SHA256 = der(0x06, Buffer.from('2a8648ce3d040302', 'hex'))
const USAGES = { server: '2b06010505070301', client: '2b06010505070302' }
const COMMON_NAME = der(0x06, Buffer.from('550403', 'hex'))

function nameOf(text: string): Buffer {
  return der(0x30, der(0x31, der(0x30, COMMON_NAME, der(0x0c, Buffer.from(text)))))
}

function timeOf(milliseconds: number): Buffer {
  return der(
    0x17,
    Buffer.from(
      new Date(milliseconds)
        .toISOString()
        .slice(2)
        .replace(/[-:T]|\.\d+/g, ''),
    ),
  )
}

function generalName(name: string): Buffer {
  return isIP(name) ? der(0x87, ipaddr.parse(name).toByteArray()) : der(0x82, Buffer.from(name))
}

function extension(id: string, value: Buffer): Buffer {
  return der(0x30, der(0x06, Buffer.from(id, 'hex')), der(0x04, value))
}

/** A value in the Distinguished Encoding Rules: its tag, its length, and its content. */
function der(tag: number, ...parts: readonly (Buffer | readonly number[])[]): Buffer {
  const content = Buffer.concat(parts.map(part => Buffer.from(part)))
  const size = content.length
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}
