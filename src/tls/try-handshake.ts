import { duplexPair } from 'node:stream'
import { connect, createSecureContext, type SecureContext, type SecureVersion, TLSSocket } from 'node:tls'
import { LISTENER_SETTINGS } from './listener-settings.ts'

const VERSIONS = ['TLSv1.2', 'TLSv1.3'] as const
/** Far more than a handshake in memory takes. */
const TIMEOUT_MS = 10_000

/** What browsers and the usual libraries offer. OpenSSL also offers others, such as those of Brainpool curves. */
const SIGNATURES = [
  'ecdsa_secp256r1_sha256',
  'ecdsa_secp384r1_sha384',
  'ecdsa_secp521r1_sha512',
  'ed25519',
  'rsa_pss_rsae_sha256',
  'rsa_pss_rsae_sha384',
  'rsa_pss_rsae_sha512',
  'rsa_pss_pss_sha256',
  'rsa_pss_pss_sha384',
  'rsa_pss_pss_sha512',
  'rsa_pkcs1_sha256',
  'rsa_pkcs1_sha384',
  'rsa_pkcs1_sha512',
].join(':')

/**
 * Completes a handshake in memory with each version, as the listeners do it with usual clients. Whether clients trust the certificate is not
 * part of it. Returns why a handshake fails.
 * @throws when OpenSSL does not accept the certificate or the key
 */
export async function tryHandshake(credentials: { cert: string; key: string }): Promise<string | undefined> {
  const secureContext = createSecureContext({ ...LISTENER_SETTINGS, ...credentials })
  for (const version of VERSIONS) {
    const failure = await tryVersion(secureContext, version)
    if (failure !== undefined) return `${version}: ${failure}`
  }
  return undefined
}

async function tryVersion(secureContext: SecureContext, version: SecureVersion): Promise<string | undefined> {
  const [serverSide, clientSide] = duplexPair()
  const server = new TLSSocket(serverSide, { isServer: true, secureContext })
  const client = connect({
    socket: clientSide,
    minVersion: version,
    maxVersion: version,
    sigalgs: SIGNATURES,
    ca: [],
    rejectUnauthorized: false,
    checkServerIdentity: () => undefined,
  })
  const outcome = Promise.withResolvers<string | undefined>()
  const timer = setTimeout(() => outcome.resolve('no response'), TIMEOUT_MS)
  server.on('error', error => outcome.resolve(reasonOf(error)))
  // If both fail, the server knows the reason: the client only sees an alert.
  client.on('error', error => setImmediate(() => outcome.resolve(reasonOf(error))))
  client.on('secureConnect', () => outcome.resolve(undefined))
  try {
    return await outcome.promise
  } finally {
    clearTimeout(timer)
    for (const stream of [client, server, clientSide, serverSide]) stream.destroy()
  }
}

function reasonOf(error: Error & { reason?: string }): string {
  return error.reason ?? error.message
}
