import type { Environment } from '../app/settings.ts'
import { checkBackups } from './backups.ts'
import { checkCertificates } from './certificates.ts'
import { examineEmbeddedStore } from './embedded-store.ts'
import type { Finding } from './finding.ts'
import { checkSettings, readSettings } from './settings.ts'
import { checkTemporaryFolder } from './temporary-folder.ts'

/** Checks everything that a service with these settings would use. Changes nothing, and is safe while the service runs. */
export async function examine(env: Environment, now: number): Promise<Finding[]> {
  const settings = readSettings(env)
  const { config, places } = settings
  const findings = [...checkSettings(env, settings), ...(config ? await checkCertificates(config, now) : [])]
  if (!places) return findings
  const { dataFolder, databaseUrl, redisUrls } = places
  const examined = [findings]
  // Drivers are loaded only when needed.
  if (databaseUrl === undefined) {
    examined.push(examineEmbeddedStore(dataFolder, config?.deployment, now), config ? checkBackups(config, now) : [])
  } else {
    const { examineDatabase } = await import('./database.ts')
    examined.push(await examineDatabase(databaseUrl, config?.deployment, now))
  }
  examined.push([checkTemporaryFolder(places, env)])
  if (redisUrls.length > 0) {
    const { examineRedis } = await import('./redis.ts')
    examined.push(await examineRedis(redisUrls))
  }
  return examined.flat()
}
