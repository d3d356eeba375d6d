import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { makeAuthority } from '../../test/support/certificates.ts'
import { temporaryFolder } from '../../test/support/folder.ts'
import { UserError } from '../domain/errors.ts'
import { type KeyPair, type KeyPairFiles, parseKeyPair, readPemFiles } from './key-pair.ts'

const root = makeAuthority('Root')
const middle = root.delegate('Middle')
const { cert, key } = middle.issue({ names: ['petstore.example'] })
const other = middle.issue()

test('a certificate with its chain is read, whatever else is in the files', async t => {
  const rsa = middle.issue({ keyType: 'rsa' })
  const traditional = String(createPrivateKey(rsa.key).export({ type: 'pkcs1', format: 'pem' }))
  const sec1 = String(createPrivateKey(key).export({ type: 'sec1', format: 'pem' }))
  const parameters = '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n'
  const kinds: [cert: string, key: string, length: number][] = [
    [cert, key, 1],
    [cert + middle.cert, key, 2],
    [`subject=CN = petstore.example\n${cert}\n\nissuer - above\n${middle.cert}${root.cert}`, `comment\n${key}`, 3],
    [cert.replaceAll('\n', '\r\n'), key.replaceAll('\n', '\r\n'), 1],
    [rsa.cert, traditional, 1],
    [cert, parameters + sec1, 1],
    [key + cert, cert + key, 1],
  ]
  for (const [certText, keyText, length] of kinds) {
    const pair = await read(t, certText, keyText)
    assert.equal(pair.chain.length, length)
    assert.ok(pair.chain[0].checkPrivateKey(createPrivateKey(pair.key)))
  }
})

const encrypted = createPrivateKey(key).export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })
const oldEncrypted = createPrivateKey(middle.issue({ keyType: 'rsa' }).key).export({
  type: 'pkcs1',
  format: 'pem',
  cipher: 'aes-256-cbc',
  passphrase: 'x',
})
const binary = Buffer.from(cert.replace(/-----.*-----/g, ''), 'base64').toString('latin1')
const weak = middle.issue({ keyType: 'weak' })
const damaged = cert.replace(/\n.{10}/, '\nAAAAAAAAAA')

const problems: [what: string, cert: string, key: string, message: RegExp][] = [
  ['an empty certificate', '', key, /CERT: .*cert\.pem contains no certificate: it is empty\.$/],
  ['an empty key', cert, ' \n', /KEY: .*key\.pem contains no private key: it is empty\.$/],
  [
    'a key that belongs to another certificate',
    cert,
    other.key,
    /CERT: .* does not belong to the key in .*key\.pem\.$/,
  ],
  ['two files that are swapped', key, cert, /CERT: .* contains no certificate, but a key\.$/],
  ['a certificate as key', cert, cert, /KEY: .* contains no private key, but a certificate\.$/],
  ['a key with a password', cert, String(encrypted), /KEY: .* is protected by a password; .*: openssl pkey -in /],
  ['an old key with a password', cert, String(oldEncrypted), /KEY: .* is protected by a password; /],
  [
    'a binary certificate',
    binary,
    key,
    /CERT: .* contains no certificate; it must be in PEM format, .*"-----BEGIN"\.$/,
  ],
  ['half a certificate', cert.slice(0, 200), key, /CERT: .* is incomplete: it ends before "-----END …-----"\.$/],
  ['half a chain', cert + middle.cert.slice(0, 200), key, /CERT: .* is incomplete/],
  ['half a key', cert, key.slice(0, 100), /KEY: .* is incomplete/],
  ['a damaged certificate', damaged, key, /CERT: .* is damaged: certificate number 1 cannot be read\.$/],
  ['a damaged key', cert, key.replace(/\n.{20}/, '\nAAAAAAAAAAAAAAAAAAAA'), /KEY: .* is damaged: .*cannot be read\.$/],
  [
    'a chain in the wrong order',
    middle.cert + cert,
    key,
    /CERT: .* wrong order: number 2 belongs to the key and must come first/,
  ],
  ['a key that is too short', weak.cert, weak.key, /CERT: .* cannot be used for TLS \(.*key too small.*\)\.$/],
  [
    'a file that is too large',
    `${cert}${' '.repeat(1_048_577)}`,
    key,
    /CERT: .* is too large for a certificate or a key\.$/,
  ],
]

for (const [what, certText, keyText, message] of problems) {
  test(`${what} is reported in one sentence, without the contents`, async t => {
    await assert.rejects(read(t, certText, keyText), error => {
      assert.ok(error instanceof UserError)
      assert.match(error.message, message)
      assert.doesNotMatch(error.message, /\n|[A-Za-z0-9+/=]{60}/)
      return true
    })
  })
}

test('files that cannot be read are reported', async t => {
  const files = await write(t, cert, key)
  const folder = join(files.cert.path, '..')
  const withCert = (path: string) => readKeyPair({ ...files, cert: { ...files.cert, path } })
  await assert.rejects(withCert(join(folder, 'none.pem')), { message: /none\.pem does not exist\.$/ })
  await assert.rejects(withCert(join(files.key.path, 'x.pem')), { message: /x\.pem does not exist\.$/ })
  await mkdir(join(folder, 'sub'))
  await assert.rejects(withCert(join(folder, 'sub')), { message: /sub is not a file\.$/ })
  await chmod(files.key.path, 0o000)
  const isRoot = process.getuid?.() === 0
  if (!isRoot)
    await assert.rejects(readKeyPair(files), { message: /key\.pem cannot be read by the user of this process\.$/ })
})

async function read(t: TestContext, certText: string, keyText: string): Promise<KeyPair> {
  return readKeyPair(await write(t, certText, keyText))
}

async function readKeyPair(files: KeyPairFiles): Promise<KeyPair> {
  return parseKeyPair(await readPemFiles(files), files)
}

async function write(t: TestContext, certText: string, keyText: string): Promise<KeyPairFiles> {
  const folder = await temporaryFolder(t)
  const files = {
    cert: { setting: 'CERT', path: join(folder, 'cert.pem') },
    key: { setting: 'KEY', path: join(folder, 'key.pem') },
  }
  await writeFile(files.cert.path, certText, 'latin1')
  await writeFile(files.key.path, keyText)
  return files
}
