import { statSync } from 'node:fs'
import type { Config, ListenerName } from '../app/config.ts'
import { SETTINGS } from '../app/settings.ts'
import { UserError } from '../domain/errors.ts'
import { type KeyPair, type KeyPairFiles, readKeyPair } from '../tls/key-pair.ts'
import { findProblems, type KeyPairProblem } from '../tls/key-pair-problems.ts'
import { dateProblem, daysLeft, namesOf, validityOf } from '../tls/validity.ts'
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
    const url = publicUrl === undefined ? null : URL.parse(publicUrl)
    const problems = findProblems(pair, { now, hostname: url?.protocol === 'https:' ? url.hostname : undefined })
    return [
      ...describeDates(subject, pair, now),
      ...problems.map(({ kind, words }) => {
        const judge = MAY_WORK.has(kind) ? warn : fail
        return judge(`${subject} (${files.cert.path}) ${words}.`)
      }),
      ...[...checkScheme(url, deployment), ...checkPermissions(files)].map(warn),
    ]
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return [fail(error.message)]
  }
}

/** With these problems, some clients can still connect. */
const MAY_WORK: ReadonlySet<KeyPairProblem['kind']> = new Set(['expiring', 'authority', 'issuer', 'host'])

function describeDates(subject: string, pair: KeyPair, now: number): Finding[] {
  const validity = validityOf(pair)
  if (dateProblem(validity, now) !== undefined) return []
  const until = new Date(validity.until).toISOString().slice(0, 10)
  return [ok(`${subject} is valid until ${until} (${daysLeft(validity, now)} days), for ${namesOf(pair)}.`)]
}

function checkScheme(url: URL | null, deployment: Config['deployment']): string[] {
  const { name } = deployment === 'production' ? SETTINGS.productionUrl : SETTINGS.stagingUrl
  return url?.protocol === 'http:' ? [`${name} begins with http, although the public listener speaks HTTPS.`] : []
}

function checkPermissions({ key: { path } }: KeyPairFiles): string[] {
  const isOpen = process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0
  return isOpen ? [`${path} is open to every user of this machine; run chmod o= ${path}`] : []
}
