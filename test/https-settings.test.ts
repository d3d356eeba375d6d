import assert from 'node:assert/strict'
import { chmod, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { examine } from '../src/app/checks/examine.ts'
import { type Issued, makeAuthority } from './support/certificates.ts'
import { runCommand } from './support/command-line.ts'
import { temporaryFolder } from './support/folder.ts'
import { writeKeyPair } from './support/transport.ts'

// What operators see about certificates when they start the service, and when they run doctor.

const DAY_MS = 86_400_000
const NOW = Date.now()
const names = ['api.example.com']
const authority = makeAuthority('Example CA')
const middle = authority.delegate('Example Intermediate')
const { cert, key } = middle.issue({ names })
const good = { cert: cert + middle.cert, key }

test('a certificate that cannot be used keeps the service from starting, and is one line without a stack', async t => {
  const { write, settings, folder } = await prepare(t, good)
  const changes: [change: () => Promise<void>, message: RegExp][] = [
    [
      () => write({ key: authority.issue().key }),
      /^error: PETSTORE_TLS_CERT: .*cert\.pem does not belong to the key in .*key\.pem\.\n$/,
    ],
    [() => write({ key: '' }), /^error: PETSTORE_TLS_KEY: .*key\.pem contains no private key: it is empty\.\n$/],
    [() => rm(join(folder, 'key.pem')), /^error: PETSTORE_TLS_KEY: .*key\.pem does not exist\.\n$/],
    [() => rm(join(folder, 'cert.pem')), /^error: PETSTORE_TLS_CERT: .*cert\.pem does not exist\.\n$/],
  ]
  for (const [change, message] of changes) {
    await change()
    const { code, stdout, stderr } = await runCommand(['serve'], settings)
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, message)
  }
  const { PETSTORE_TLS_KEY: _, ...half } = settings
  const { stderr } = await runCommand(['serve'], half)
  assert.equal(stderr, 'error: PETSTORE_TLS_CERT requires PETSTORE_TLS_KEY.\n')
})

test('doctor shows when a certificate expires, and for which names it is valid', async t => {
  const { check } = await prepare(t, good)
  await check(/^ok The public certificate is valid until \d{4}-\d\d-\d\d \((?:89|90) days\), for api\.example\.com\.$/)
})

test('doctor fails on a certificate that clients refuse', async t => {
  const expired = authority.issue({ names, from: NOW - 90 * DAY_MS, until: NOW - DAY_MS })
  const { check, write } = await prepare(t, expired)
  await check(/^fail The public certificate \(.*cert\.pem\) expired on [\d-]+\.$/)
  await write(authority.issue({ names, from: NOW + DAY_MS }))
  await check(/^fail The public certificate .* is not valid before /)
  await write({ cert: 'x' })
  await check(/^fail PETSTORE_TLS_CERT: .* contains no certificate; it must be in PEM format/)
  const valid = /^ok The public certificate is valid until /
  await write({ cert: cert + authority.cert, key })
  await check(valid, /^fail .*cert\.pem\) has a certificate that did not sign the one before it: CN=Example CA\.$/)
  for (const keyType of ['secp256k1', 'brainpool', 'dsa'] as const) {
    await write(authority.issue({ names, keyType }))
    await check(valid, /^fail The public certificate \(.*cert\.pem\) has a key that clients cannot use \(\w+\); /)
  }
  await write(authority.issue({ names, usage: 'client' }))
  await check(valid, /^fail .* is not for servers \(its extended key usage lacks serverAuth\): CN=Petstore Test\.$/)
})

test('doctor warns of problems that are about to occur, or only affect some clients', async t => {
  const valid = /^ok The public certificate is valid until /
  const { check, write, folder } = await prepare(t, good)
  await write(authority.issue({ names, from: NOW - 80 * DAY_MS, until: NOW + 5.5 * DAY_MS }))
  await check(/^warn The public certificate .* expires on [\d-]+, in 5 days, and has not been renewed\.$/)
  await write(authority.issue({ names: ['www.example.com'] }))
  await check(
    valid,
    /^warn The public certificate \(.*\) is for www\.example\.com, and not for api\.example\.com, the host of the public base address\.$/,
  )
  await write(good)
  await chmod(join(folder, 'key.pem'), 0o644)
  await check(valid, /^warn .*key\.pem is open to every user of this machine; run chmod o= /)
})

test('doctor warns of a public address that is not https', async t => {
  const { settings } = await prepare(t, good)
  const findings = await examine({ ...settings, PETSTORE_PRODUCTION_URL: 'http://api.example.com/v1' }, NOW)
  const message = 'PETSTORE_PRODUCTION_URL begins with http, although the public listener speaks HTTPS.'
  assert.ok(findings.some(one => one.outcome === 'warn' && one.message === message))
})

async function prepare(t: TestContext, issued: Issued) {
  const folder = await temporaryFolder(t)
  const { cert: certFile, key: keyFile } = writeKeyPair(folder, issued)
  const settings = {
    PETSTORE_DATA: join(folder, 'data'),
    PETSTORE_PORT: '0',
    PETSTORE_OPERATOR_PORT: '0',
    PETSTORE_PRODUCTION_URL: 'https://api.example.com/v1',
    PETSTORE_TLS_CERT: certFile.path,
    PETSTORE_TLS_KEY: keyFile.path,
  }
  return {
    folder,
    settings,
    async write(texts: Partial<Issued>) {
      if (texts.cert !== undefined) await writeFile(certFile.path, texts.cert)
      if (texts.key !== undefined) await writeFile(keyFile.path, texts.key)
    },
    /** Asserts that doctor finds exactly this about certificates. */
    async check(...expected: RegExp[]) {
      const findings = (await examine(settings, NOW)).filter(({ check }) => check === 'certificate')
      assert.equal(findings.length, expected.length, JSON.stringify(findings))
      for (const [index, { outcome, message }] of findings.entries()) {
        assert.match(`${outcome} ${message}`, expected[index] ?? /^$/)
      }
    },
  }
}
