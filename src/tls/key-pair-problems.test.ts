import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { connect, createServer, type SecureVersion } from 'node:tls'
import { makeAuthority } from '../../test/support/certificates.ts'
import { parseKeyPair } from './key-pair.ts'
import { findProblems } from './key-pair-problems.ts'
import { LISTENER_SETTINGS } from './listener-settings.ts'

const authority = makeAuthority()
const FILES = { cert: { setting: 'CERT', path: 'cert.pem' }, key: { setting: 'KEY', path: 'key.pem' } }

/** What the usual TLS libraries offer. */
const SIGNATURES = [
  ...['ecdsa_secp256r1_sha256', 'ecdsa_secp384r1_sha384', 'ecdsa_secp521r1_sha512', 'ed25519'],
  ...[256, 384, 512].flatMap(bits => [`rsa_pss_rsae_sha${bits}`, `rsa_pss_pss_sha${bits}`, `rsa_pkcs1_sha${bits}`]),
].join(':')

const KINDS = ['ec', 'rsa', 'p384', 'p521', 'pss', 'ed25519', 'ed448', 'secp256k1', 'brainpool', 'dsa'] as const

for (const keyType of KINDS) {
  test(`a key is refused exactly if clients cannot complete a handshake with it: ${keyType}`, async t => {
    const issued = authority.issue({ keyType })
    const problems = findProblems(parseKeyPair(issued, FILES), { now: Date.now() })
    const outcomes = [await handshake(t, issued, 'TLSv1.2'), await handshake(t, issued, 'TLSv1.3')]
    const isUsable = outcomes.every(outcome => outcome === 'secureConnect')
    assert.deepEqual(
      problems.map(({ kind }) => kind),
      isUsable ? [] : ['key'],
    )
  })
}

async function handshake(t: TestContext, issued: { cert: string; key: string }, version: SecureVersion) {
  const server = createServer({ ...LISTENER_SETTINGS, ...issued }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = connect({
    port,
    host: '127.0.0.1',
    minVersion: version,
    maxVersion: version,
    sigalgs: SIGNATURES,
    rejectUnauthorized: false,
  })
  t.after(() => client.destroy())
  return new Promise(resolve => {
    for (const event of ['secureConnect', 'error']) client.once(event, () => resolve(event))
  })
}
