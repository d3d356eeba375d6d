import type { CheckFinding } from '../../operator/running-service.ts'
import { BACKUP_CHECKS } from './backups.ts'
import { CERTIFICATE_CHECKS } from './certificates.ts'
import { type Check, check } from './check.ts'
import { CLOCK_CHECKS } from './clock.ts'
import { DATABASE_CHECKS } from './database.ts'
import type { ServiceState } from './facts.ts'
import { FOLDER_CHECKS } from './folder.ts'
import { SERVICE_CHECKS } from './service.ts'
import { SETTINGS_CHECKS } from './settings.ts'
import { SOURCE_CHECKS } from './sources.ts'
import { STORE_CHECKS } from './store.ts'

/** Every check, in the order of the findings. */
const CHECKS: readonly Check[] = [
  ...SETTINGS_CHECKS,
  ...SERVICE_CHECKS,
  ...FOLDER_CHECKS,
  ...DATABASE_CHECKS,
  ...STORE_CHECKS,
  ...SOURCE_CHECKS,
  ...CLOCK_CHECKS,
  ...BACKUP_CHECKS,
  ...CERTIFICATE_CHECKS,
  check('redis', 'places', async ({ redisUrls }) => {
    if (redisUrls.length === 0) return []
    // The driver is loaded only when needed.
    const { checkRedis } = await import('./redis.ts')
    return checkRedis(redisUrls)
  }),
]

/**
 * Runs the checks for which a program has the facts: `petstore doctor`, or the health of a running service.
 * @param only the name of the checks to run; all of them if undefined
 */
export async function runChecks(facts: Parameters<Check['run']>[0], only?: string): Promise<CheckFinding[]> {
  const findings: CheckFinding[] = []
  for (const { name, run } of CHECKS) {
    const verdicts = only === undefined || only === name ? await run(facts) : []
    findings.push(...verdicts.map(verdict => ({ check: name, ...verdict })))
  }
  return findings
}

/**
 * Why an instance should get no calls. A store that instances share says nothing about this one: if it fails, it fails for all, and a load balancer
 * must not take out all of them.
 */
export async function checkReadiness(service: ServiceState, now: number): Promise<CheckFinding | undefined> {
  const isStoreShared = service.config.databaseUrl !== undefined
  if (isStoreShared && !service.isStopping()) return undefined
  const findings = await runChecks({ service, now }, service.isStopping() ? 'service' : 'store')
  return findings.find(({ outcome }) => outcome !== 'ok')
}
