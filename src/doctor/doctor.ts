import type { Environment } from '../config.ts'
import type { Finding } from './finding.ts'
import { examineFolder } from './folder-store.ts'
import { checkSettings, readSettings } from './settings.ts'

/** Examines all that a service with these settings would work with. Changes nothing, and may run beside one. */
export async function examine(env: Environment, now: number): Promise<Finding[]> {
  const settings = readSettings(env)
  const { config, places } = settings
  const findings = checkSettings(env, settings)
  if (!places) return findings
  const { dataFolder, databaseUrl, redisUrls } = places
  const examined = [findings]
  // Nobody waits for a driver that is not needed.
  if (databaseUrl === undefined) examined.push(examineFolder(dataFolder, config?.deployment, now))
  else {
    const { examineDatabase } = await import('./database.ts')
    examined.push(await examineDatabase(databaseUrl, config?.deployment, now))
  }
  if (redisUrls.length > 0) {
    const { examineRedis } = await import('./redis.ts')
    examined.push(await examineRedis(redisUrls))
  }
  return examined.flat()
}
