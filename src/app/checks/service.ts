import { reasonOf } from '../../domain/system-error.ts'
import { withoutSecrets } from '../../domain/untrusted-text.ts'
import { check } from './check.ts'
import { ok, warn } from './verdict.ts'

export const SERVICE_CHECKS = [
  check('store', 'service', ({ checkStore }) => checkStore()),

  check('disk', 'service', ({ disk }, { now }) => disk?.check(now) ?? []),

  check('service', 'service', ({ isStopping, troubles }) => {
    if (isStopping()) return warn('The service is stopping.')
    const overload = troubles.get('overload')
    if (!overload) return ok('The service accepts calls.')
    const message = 'The service is overloaded: more calls arrive than it can answer, and it refuses some with 503.'
    return warn(message, overload.since)
  }),

  check('counting', 'service', ({ config, troubles }) => {
    if (config.redisUrls.length === 0) return ok('Calls are counted in this process.')
    const lost = troubles.get('redis')
    if (!lost) return ok('All instances count calls together, in Redis.')
    const reason = withoutSecrets(reasonOf(lost.error))
    return warn(`${reason}. Without Redis, this instance counts its own share of the calls.`, lost.since)
  }),

  check('changes', 'service', ({ config, troubles }) => {
    if (config.databaseUrl === undefined) return []
    const lost = troubles.get('changes')
    if (!lost) return ok('Changes by other instances apply immediately.')
    return warn('The lease in the database cannot be renewed: this instance serves nothing until it can.', lost.since)
  }),
]
