import { statSync } from 'node:fs'
import type { Config, ListenerName } from '../app/config.ts'
import { SETTINGS } from '../app/settings.ts'
import { UserError } from '../domain/errors.ts'
import { type KeyPair, type KeyPairFiles, readKeyPair } from '../tls/key-pair.ts'
import { dateProblem, daysLeft, isForHost, namesOf, stateOf, validityOf } from '../tls/validity.ts'
import { type Finding, findingsOf } from './finding.ts'

const { ok, warn, fail } = findingsOf('certificate')

/** Permissions of users who are neither the owner nor in the group. */
const OTHERS = 0o007

/** Checks whether every certificate is usable, is for the public address, and is renewed in time. */
export async function checkCertificates({ tls, publicUrls, deployment }: Config, now: number): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const listener of ['public', 'operators'] as const) {
    const files = tls[listener]
    const publicUrl = listener === 'public' ? publicUrls[deployment] : undefined
    if (files) findings.push(...(await checkCertificate(listener, files, publicUrl, deployment, now)))
  }
  return findings
}

async function checkCertificate(
  listener: ListenerName,
  files: KeyPairFiles,
  publicUrl: string | undefined,
  deployment: Config['deployment'],
  now: number,
): Promise<Finding[]> {
  const subject = listener === 'public' ? 'The public certificate' : "The operators' certificate"
  try {
    const pair = await readKeyPair(files)
    const validity = validityOf(pair)
    const warnings = [
      ...checkAddress(subject, pair, publicUrl, deployment),
      ...checkChain(pair, files, now),
      ...checkPermissions(files),
    ].map(warn)
    const problem = dateProblem(validity, now)
    if (problem !== undefined) {
      const judge = stateOf(validity, now) === 'soon' ? warn : fail
      return [judge(`${subject} (${files.cert.path}) ${problem}.`), ...warnings]
    }
    const until = new Date(validity.until).toISOString().slice(0, 10)
    const days = daysLeft(validity, now)
    return [ok(`${subject} is valid until ${until} (${days} days), for ${namesOf(pair)}.`), ...warnings]
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return [fail(error.message)]
  }
}

function checkAddress(
  subject: string,
  pair: KeyPair,
  publicUrl: string | undefined,
  deployment: Config['deployment'],
): string[] {
  const url = publicUrl === undefined ? null : URL.parse(publicUrl)
  if (!url) return []
  const { name } = deployment === 'production' ? SETTINGS.productionUrl : SETTINGS.stagingUrl
  if (url.protocol === 'http:') return [`${name} begins with http, although the public listener speaks HTTPS.`]
  if (isForHost(pair, url.hostname)) return []
  return [`${subject} is for ${namesOf(pair)}, and not for ${url.hostname}, the host in ${name}.`]
}

function checkChain({ chain }: KeyPair, { cert: { path } }: KeyPairFiles, now: number): string[] {
  const [own, ...authorities] = chain
  // Public authorities include the address of their own certificate. Private ones usually sign with a certificate that clients already have.
  if (authorities.length === 0 && own.infoAccess?.includes('CA Issuers')) {
    return [`${path} lacks the certificate of its issuer, so some clients will not trust it; use fullchain.pem.`]
  }
  const misplaced = authorities.find((authority, index) => !chain[index]?.checkIssued(authority))
  if (misplaced) return [`${path} has a certificate that did not sign the one before it: ${subjectOf(misplaced)}.`]
  const expired = authorities.find(({ validToDate }) => validToDate.getTime() <= now)
  return expired ? [`${path} has an expired certificate of an authority: ${subjectOf(expired)}.`] : []
}

function subjectOf({ subject }: KeyPair['chain'][number]): string {
  return subject.replaceAll('\n', ', ')
}

function checkPermissions({ key: { path } }: KeyPairFiles): string[] {
  const isOpen = process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0
  return isOpen ? [`${path} is open to every user of this machine; run chmod o= ${path}`] : []
}
