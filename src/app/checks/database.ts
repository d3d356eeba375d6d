import { formatBytes } from '../../domain/bytes.ts'
import { UserError } from '../../domain/errors.ts'
import { check } from './check.ts'
import { findObstacle } from './store.ts'
import { fail, ok, warn } from './verdict.ts'

const WARN_ABOVE_SHARE = 0.8

export const DATABASE_CHECKS = [
  check('database', 'unreachable', fail),

  check('database', 'database', ({ name, version, isReadOnly }) => {
    if (isReadOnly) return fail(`PostgreSQL at ${name} is read-only; set PETSTORE_DATABASE_URL to the primary.`)
    return ok(`PostgreSQL ${version} responds at ${name}.`)
  }),

  // A connection that keeps ids for later gives an animal a lower id than others have, which a cached page then lacks.
  check('database', 'database', ({ store }) => {
    if (!store || store instanceof UserError || store.idsDrawnAtOnce === 1) return []
    const remedy = 'as the owner, run ALTER SEQUENCE pet_id CACHE 1'
    return fail(`The sequence pet_id has CACHE ${store.idsDrawnAtOnce}, so lists can miss new animals; ${remedy}`)
  }),

  check('database', 'database', ({ store, newestStoreVersion }) => {
    if (!store || store instanceof UserError || store.version !== newestStoreVersion) return []
    if (!store.isUpgradeUnfinished) return []
    const end =
      'A day after the last one has ended, the service finishes it; until then, animals are created one by one'
    return warn(`The upgrade of the store is unfinished: instances of earlier releases may be serving. ${end}.`)
  }),

  check('database', 'database', ({ remedies }) => {
    if (remedies.length === 0) return []
    return warn(`Settings of this user end or repeat statements; as an administrator, run ${remedies.join('; ')}`)
  }),

  check('durability', 'database', ({ notOnDisk, hasStandby, waitsForStandby }) => {
    if (notOnDisk.length > 0) {
      return warn(`A crash of PostgreSQL may lose acknowledged writes; set ${notOnDisk.join(' and ')} to on.`)
    }
    if (hasStandby && !waitsForStandby) {
      return warn(
        'A standby follows PostgreSQL, but commits do not wait for it, so a failover may lose acknowledged writes; set synchronous_standby_names, and synchronous_commit to on (with Patroni: synchronous_mode).',
      )
    }
    const words = waitsForStandby ? 'they are on its disk and a standby has them' : 'they are on its disk'
    return ok(`PostgreSQL acknowledges writes only when ${words}.`)
  }),

  check('connections', 'database', ({ connections: { open, most } }) => {
    const words = `${open} of the ${most} connections that PostgreSQL allows are open`
    if (open <= most * WARN_ABOVE_SHARE) return ok(`${words}.`)
    return warn(`${words}; raise max_connections, or find the clients that hold them.`)
  }),

  check('store', 'database', ({ name, store, mayMakeTables, denied }, { config }) => {
    if (store instanceof UserError) return fail(store.message)
    if (store === undefined) {
      return mayMakeTables
        ? ok(`There is no store in ${name} yet; it is created when needed.`)
        : fail(`There is no store in ${name} yet, and this user may not create it; run GRANT CREATE ON SCHEMA.`)
    }
    const obstacle = findObstacle(store, config, 'PETSTORE_DATABASE_URL')
    if (obstacle) return fail(obstacle)
    if (denied) return fail(`This user lacks a right in ${name} (${denied.reason}); as the owner, run ${denied.remedy}`)
    const { newestPetId, accounts, keys } = store
    const counts = `highest animal id: ${newestPetId}, accounts: ${accounts}, keys: ${keys}`
    return ok(`The ${store.deployment} store can be used (${counts}).`)
  }),

  check('size', 'database', ({ bytes, store }) => {
    const whole = formatBytes(bytes)
    const sizes =
      store && 'bytes' in store
        ? `The store takes ${formatBytes(store.bytes)}, the whole database ${whole}`
        : `The database takes ${whole}`
    return ok(`${sizes}; PostgreSQL does not report the free space on its disk.`)
  }),

  check('service', 'database', ({ store }) => {
    if (!store || store instanceof UserError) return []
    const { instances } = store
    const words = instances === 1 ? '1 instance of the service is' : `${instances || 'No'} instances of the service are`
    return ok(`${words} running on the store.`)
  }),
]
