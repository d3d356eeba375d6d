import { formatCount } from '../../domain/format-number.ts'
import type { KeyPairProblem } from '../../tls/key-pair-problems.ts'
import { RenewableKeyPair } from '../../tls/renewable-key-pair.ts'
import { dateProblem, daysLeft, namesOf, validityOf } from '../../tls/validity.ts'
import type { Config, ListenerName } from '../config.ts'
import { publicUrlSetting } from '../public-address.ts'
import { type Check, check } from './check.ts'
import { checkOpenness } from './folder.ts'
import { fail, ok, type Verdict, warn } from './verdict.ts'

export const LISTENERS = ['public', 'operators'] as const

/** Whether every certificate is usable, is for the public address, and is renewed in time. */
export const CERTIFICATE_CHECKS: Check[] = LISTENERS.flatMap(listener => [
  check('certificate', 'config', async (config, { now }) => {
    const files = config.tls[listener]
    if (!files) return []
    const verdicts = judgeCertificate(listener, await RenewableKeyPair.open(files, hostnameOf(listener, config)), now)
    return [...verdicts, ...(listener === 'public' ? checkScheme(config) : []), ...checkOpenness(files.key.path)]
  }),

  check(`${listener} certificate`, 'service', ({ certificates }, { now }) => certificates.check(listener, now)),
])

/** The host that a certificate must cover. */
export function hostnameOf(listener: ListenerName, { publicUrls, deployment }: Config): string | undefined {
  return listener === 'public' ? URL.parse(publicUrls[deployment] ?? '')?.hostname : undefined
}

/** With these problems, some clients can still connect. */
const MAY_WORK: ReadonlySet<KeyPairProblem['kind']> = new Set(['expiring', 'authority', 'issuer', 'host'])

/** How long a certificate is valid, and why clients refuse it, or will soon. */
export function judgeCertificate(listener: ListenerName, pair: RenewableKeyPair, now: number): Verdict[] {
  const subject = listener === 'public' ? 'The public certificate' : "The operators' certificate"
  const { files, current } = pair
  const validity = validityOf(current)
  const until = new Date(validity.until).toISOString().slice(0, 10)
  const isValid = dateProblem(validity, now) === undefined
  const dates = `${subject} is valid until ${until} (${formatCount(daysLeft(validity, now), 'day')}), for ${namesOf(current)}.`
  const judged = pair.problems(now).map(({ kind, words }) => {
    return (MAY_WORK.has(kind) ? warn : fail)(`${subject} (${files.cert.path}) ${words}.`)
  })
  return isValid ? [ok(dates), ...judged] : judged
}

function checkScheme({ publicUrls, deployment }: Config): Verdict[] {
  if (!publicUrls[deployment]?.startsWith('http:')) return []
  const { name } = publicUrlSetting(deployment)
  return [warn(`${name} begins with http, although the public listener speaks HTTPS.`)]
}
