import { buildRoutes, methodsOf, type Operation, type Route } from '../http/routes.ts'
import type { OperatorCall } from './call.ts'
import { ACCOUNTS } from './handlers/accounts.ts'
import { AUDIT } from './handlers/audit.ts'
import { CATEGORIES } from './handlers/categories.ts'
import { CLAIM_LINKS } from './handlers/claim-links.ts'
import { KEYS } from './handlers/keys.ts'
import { PET_FILES } from './handlers/pet-files.ts'
import { PETS } from './handlers/pets.ts'
import { RECORDS } from './handlers/records.ts'
import { REFUSALS } from './handlers/refusals.ts'
import { SELECTED_PETS } from './handlers/selected-pets.ts'
import { SERVICE } from './handlers/service.ts'
import { SESSION } from './handlers/session.ts'
import { SOURCES } from './handlers/sources.ts'
import { TOKENS } from './handlers/tokens.ts'
import { UNDO } from './handlers/undo.ts'
import type { Health } from './health.ts'
import { ADMIN_PATH, type AdminOperation, named } from './operation.ts'

/** The operations of the admin API, by their tags in the OpenAPI document. Their paths are below ADMIN_PATH. */
export const OPERATIONS_BY_TAG = {
  Animals: named(PETS, PET_FILES, SELECTED_PETS),
  Sources: named(SOURCES),
  Categories: named(CATEGORIES),
  Accounts: named(ACCOUNTS),
  'Keys and bans': named(KEYS, CLAIM_LINKS),
  Records: named(RECORDS, REFUSALS, AUDIT, UNDO),
  'Operator tokens': named(TOKENS),
  Service: named(SERVICE),
  Session: named(SESSION),
}

export const OPERATIONS = Object.values(OPERATIONS_BY_TAG).flat()

/** GET /livez, /readyz and /metrics: for machines, without a token. */
export const HEALTH_IDS = ['livez', 'readyz', 'metrics'] as const

export const METHODS = methodsOf(OPERATIONS)

/** What metrics and logs call the operations of the listener. */
export const OPERATION_IDS = [...OPERATIONS.map(({ id }) => id), ...HEALTH_IDS]

interface Parts {
  serve(operation: AdminOperation): Operation<OperatorCall>
  health: Health
}

/** Every path of the operators' listener but its pages. */
export function buildOperatorRoutes({ serve, health }: Parts): Route<OperatorCall>[] {
  return [
    ...buildRoutes(ADMIN_PATH, OPERATIONS, serve),
    ...HEALTH_IDS.map(id => ({ path: `/${id}`, operations: { GET: { id, handle: health[id] } } })),
  ]
}
