import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import { conflict, UserError } from '../domain/errors.ts'
import { systemReason } from '../domain/system-error.ts'
import { LISTENER_SETTINGS } from './listener-settings.ts'

/** A certificate and its matching private key, both usable. */
export interface KeyPair {
  /** PEM: the certificate, and the intermediate certificates up to a known authority. */
  cert: string
  /** PEM */
  key: string
  /** The first one is the service's own certificate. */
  chain: readonly [X509Certificate, ...X509Certificate[]]
}

export interface KeyPairFiles {
  cert: PemFile
  key: PemFile
}

interface PemFile {
  path: string
  /** The setting that names the file, for messages. */
  setting: string
}

/** The contents of the two files. */
export interface PemTexts {
  cert: string
  key: string
}

/** @throws UserError if a file cannot be read */
export async function readPemFiles({ cert, key }: KeyPairFiles): Promise<PemTexts> {
  return { cert: await readPemFile(cert), key: await readPemFile(key) }
}

/** Far more than any certificate chain needs. */
const MAX_BYTES = 1_048_576

async function readPemFile(file: PemFile): Promise<string> {
  try {
    const found = await stat(file.path)
    if (!found.isFile()) throw problem(file, 'is not a file')
    if (found.size > MAX_BYTES) throw problem(file, 'is too large for a certificate or a key')
    return await readFile(file.path, 'latin1')
  } catch (error) {
    if (error instanceof UserError) throw error
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') throw problem(file, 'does not exist')
    if (code === 'EACCES' || code === 'EPERM') throw problem(file, 'cannot be read by the user of this process')
    throw problem(file, `cannot be read (${systemReason(error)})`)
  }
}

/** @throws UserError if one of them cannot be used, or they do not match */
export function parseKeyPair(texts: PemTexts, files: KeyPairFiles): KeyPair {
  const chain = parseChain(texts.cert, files.cert)
  const key = findKey(texts.key, files.key)
  const isKeyOf = (certificate: X509Certificate) => certificate.checkPrivateKey(key.parsed)
  if (!isKeyOf(chain[0])) {
    const place = chain.findIndex(isKeyOf)
    throw problem(
      files.cert,
      place > 0
        ? `has the certificates in the wrong order: number ${place + 1} belongs to the key and must come first`
        : `does not belong to the key in ${files.key.path}`,
    )
  }
  const cert = chain.map(certificate => certificate.toString()).join('')
  try {
    createSecureContext({ ...LISTENER_SETTINGS, cert, key: key.pem })
  } catch (error) {
    throw problem(files.cert, `cannot be used for TLS (${reasonOf(error)})`)
  }
  return { cert, key: key.pem, chain }
}

function parseChain(text: string, file: PemFile): KeyPair['chain'] {
  const blocks = pemBlocks(text, file).filter(({ label }) => label === 'CERTIFICATE')
  const [first, ...others] = blocks.map(({ pem }, index) => {
    try {
      return new X509Certificate(pem)
    } catch {
      throw problem(file, `is damaged: certificate number ${index + 1} cannot be read`)
    }
  })
  if (first) return [first, ...others]
  throw problem(file, `contains no certificate${isKey(text) ? ', but a key' : ''}${hintAtFormat(text)}`)
}

function findKey(text: string, file: PemFile) {
  const block = pemBlocks(text, file).find(({ label }) => label.endsWith('PRIVATE KEY'))
  if (!block) {
    const other = text.includes('-----BEGIN CERTIFICATE-----') ? ', but a certificate' : ''
    throw problem(file, `contains no private key${other}${hintAtFormat(text)}`)
  }
  const { label, pem } = block
  if (label === 'ENCRYPTED PRIVATE KEY' || /^Proc-Type: 4,ENCRYPTED/m.test(pem)) {
    throw problem(file, `is protected by a password; write it without one: openssl pkey -in ${file.path} -out NEW_FILE`)
  }
  try {
    return { pem, parsed: createPrivateKey(pem) }
  } catch {
    throw problem(file, 'is damaged: the private key cannot be read')
  }
}

function isKey(text: string): boolean {
  return /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)
}

/** The blocks of a PEM file, without comments between them. */
function pemBlocks(text: string, file: PemFile): { label: string; pem: string }[] {
  const begins = text.match(/-----BEGIN [A-Z0-9 ]+-----/g) ?? []
  const blocks = [...text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----[^-]*(?:-(?!----)[^-]*)*-----END \1-----/g)]
  if (blocks.length < begins.length) throw problem(file, 'is incomplete: it ends before "-----END …-----"')
  return blocks.map(([pem, label = '']) => ({ label, pem: `${pem}\n` }))
}

function hintAtFormat(text: string): string {
  if (text.trim() === '') return ': it is empty'
  return text.includes('-----BEGIN ') ? '' : '; it must be in PEM format, which begins with "-----BEGIN"'
}

function problem({ setting, path }: PemFile, words: string): UserError {
  return conflict(`${setting}: ${path} ${words}.`)
}

function reasonOf(error: unknown): string {
  const { reason, message } = error as Error & { reason?: string }
  return reason ?? message
}
