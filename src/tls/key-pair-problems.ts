import type { X509Certificate } from 'node:crypto'
import { formatTime } from '../domain/time.ts'
import type { KeyPair } from './key-pair.ts'
import { dateProblem, isForHost, namesOf, stateOf, validityOf } from './validity.ts'

/** Why clients refuse a certificate, or will soon. */
export interface KeyPairProblem {
  kind: 'expiring' | 'dates' | 'key' | 'purpose' | 'authority' | 'order' | 'authority dates' | 'issuer' | 'host'
  /** The end of a sentence about the certificate or its file. */
  words: string
}

interface Circumstances {
  now: number
  /** The host of the public base address, if the certificate must cover it. */
  hostname?: string | undefined
  /** The pair that this one would replace. */
  former?: KeyPair
}

/** Every rule for a key pair that can be read: for the start, for a renewal and for `petstore doctor`. */
export function findProblems(pair: KeyPair, { now, hostname, former }: Circumstances): KeyPairProblem[] {
  return [
    ...checkDates(pair, now),
    ...checkKey(pair),
    ...checkPurpose(pair),
    ...checkIssuers(pair, now, former),
    ...problemIf(hostname !== undefined && !isForHost(pair, hostname), 'host', () => {
      return `is for ${namesOf(pair)}, and not for ${hostname}, the host of the public base address`
    }),
  ]
}

function problemIf(isFound: boolean, kind: KeyPairProblem['kind'], words: () => string): KeyPairProblem[] {
  return isFound ? [{ kind, words: words() }] : []
}

function checkDates(pair: KeyPair, now: number): KeyPairProblem[] {
  const validity = validityOf(pair)
  const words = dateProblem(validity, now)
  if (words === undefined) return []
  return [{ kind: stateOf(validity, now) === 'soon' ? 'expiring' : 'dates', words }]
}

/** What the usual TLS libraries accept; browsers lack Ed25519. OpenSSL also has others, such as Brainpool curves. */
const KEY_TYPES = ['rsa', 'rsa-pss', 'ed25519', 'prime256v1', 'secp384r1', 'secp521r1']

function checkKey({ chain: [own] }: KeyPair): KeyPairProblem[] {
  const { asymmetricKeyType, asymmetricKeyDetails } = own.publicKey
  const type = asymmetricKeyDetails?.namedCurve ?? asymmetricKeyType ?? 'unknown'
  return problemIf(!KEY_TYPES.includes(type), 'key', () => {
    return `has a key that clients cannot use (${type}); use RSA, or an EC key on P-256`
  })
}

/** RFC 5280, section 4.2.1.12. OpenSSL refuses a certificate without it even if it allows every usage. */
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1'

function checkPurpose({ chain }: KeyPair): KeyPairProblem[] {
  const [own, ...authorities] = chain
  const restricted = chain.find(({ keyUsage }) => keyUsage && !keyUsage.includes(SERVER_AUTH))
  const powerless = authorities.find(({ ca }) => !ca)
  return [
    ...problemIf(restricted !== undefined, 'purpose', () => {
      return `has a certificate that is not for servers (its extended key usage lacks serverAuth): ${subjectOf(restricted)}`
    }),
    ...problemIf(
      own.ca,
      'authority',
      () => 'begins with the certificate of an authority, which clients refuse for a server',
    ),
    ...problemIf(powerless !== undefined, 'order', () => {
      return `has a certificate after the first that is not an authority's: ${subjectOf(powerless)}`
    }),
  ]
}

/** Each certificate must be signed by the next one, which must be in force. */
function checkIssuers({ chain }: KeyPair, now: number, former: KeyPair | undefined): KeyPairProblem[] {
  const [own, ...authorities] = chain
  const foreign = authorities.find((authority, index) => !isSignedBy(chain[index] as X509Certificate, authority))
  const expired = authorities.find(({ validToDate }) => validToDate.getTime() <= now)
  const future = authorities.find(({ validFromDate }) => now < validFromDate.getTime())
  // Public authorities include the address of their own certificate. Private ones usually sign with a certificate that clients already have.
  const isExpected = own.infoAccess?.includes('CA Issuers') || (former !== undefined && former.chain.length > 1)
  return [
    ...problemIf(authorities.length === 0 && isExpected === true && !isSignedBy(own, own), 'issuer', () => {
      return 'lacks the certificate of its issuer, so some clients will not trust it; use fullchain.pem'
    }),
    ...problemIf(foreign !== undefined, 'order', () => {
      return `has a certificate that did not sign the one before it: ${subjectOf(foreign)}`
    }),
    ...problemIf(expired !== undefined, 'authority dates', () => {
      return `has an expired certificate of an authority: ${subjectOf(expired)}`
    }),
    ...problemIf(future !== undefined, 'authority dates', () => {
      const from = formatTime(future?.validFromDate.getTime() ?? 0)
      return `has a certificate of an authority that is not valid before ${from}: ${subjectOf(future)}`
    }),
  ]
}

/** Names alone do not prove it: an authority may have a new key under its old name. */
function isSignedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}

function subjectOf(certificate: X509Certificate | undefined): string {
  return certificate?.subject?.replaceAll('\n', ', ') ?? 'without a name'
}
