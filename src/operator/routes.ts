import { Type } from 'typebox'
import { buildRoutes, methodsOf, type Operation, type Route } from '../http/routes.ts'
import {
  AccountJson,
  AuditEntryJson,
  BanJson,
  IssuedKeyJson,
  KeyJson,
  SessionJson,
  UsageJson,
} from '../schema/operator-schemas.ts'
import { Pet, Pets } from '../schema/pet-schemas.ts'
import type { OperatorCall } from './call.ts'
import {
  createAccount,
  deleteAccount,
  listAccounts,
  readAccount,
  renameAccount,
  resumeAccount,
  setPlan,
  suspendAccount,
} from './handlers/accounts.ts'
import { issueKey, liftBan, listBans, listKeys, readKey, revokeKey, rotateKey } from './handlers/keys.ts'
import { addPet, correctPet, deletePet, readPet, searchPets } from './handlers/pets.ts'
import { listAudit, sumUsage } from './handlers/records.ts'
import { readSession, signIn, signOut } from './handlers/session.ts'
import type { Health } from './health.ts'
import { ADMIN_PATH, type AdminOperation, operationsFor } from './operation.ts'
import {
  AccountName,
  AuditSearch,
  KeyRotation,
  KeySearch,
  NewAccount,
  NewestFirst,
  NewKey,
  OldestFirst,
  PetChange,
  PetSearch,
  PetToAdd,
  PlanChoice,
  SignIn,
  UsageSearch,
} from './request-schemas.ts'

const staff = operationsFor('staff')
const admin = operationsFor('admin')
const anyone = operationsFor('anyone')

const ANIMALS = [
  staff('GET', '/pets', { query: PetSearch, status: 200, response: Pets, ...searchPets }),
  staff('POST', '/pets', { body: PetToAdd, status: 201, response: Pet, ...addPet }),
  staff('GET', '/pets/{petId}', { status: 200, response: Pet, ...readPet }),
  staff('PATCH', '/pets/{petId}', { body: PetChange, status: 200, response: Pet, ...correctPet }),
  staff('DELETE', '/pets/{petId}', { status: 204, ...deletePet }),
]

const ACCOUNTS = [
  staff('GET', '/accounts', { query: OldestFirst, status: 200, response: Type.Array(AccountJson), ...listAccounts }),
  admin('POST', '/accounts', { body: NewAccount, status: 201, response: AccountJson, ...createAccount }),
  staff('GET', '/accounts/{accountId}', { status: 200, response: AccountJson, ...readAccount }),
  admin('PATCH', '/accounts/{accountId}', { body: AccountName, status: 200, response: AccountJson, ...renameAccount }),
  admin('DELETE', '/accounts/{accountId}', { status: 204, ...deleteAccount }),
  admin('PUT', '/accounts/{accountId}/plan', { body: PlanChoice, status: 200, response: AccountJson, ...setPlan }),
  admin('POST', '/accounts/{accountId}/suspend', { status: 200, response: AccountJson, ...suspendAccount }),
  admin('POST', '/accounts/{accountId}/resume', { status: 200, response: AccountJson, ...resumeAccount }),
]

const KEYS_AND_BANS = [
  staff('GET', '/keys', { query: KeySearch, status: 200, response: Type.Array(KeyJson), ...listKeys }),
  admin('POST', '/accounts/{accountId}/keys', { body: NewKey, status: 201, response: IssuedKeyJson, ...issueKey }),
  staff('GET', '/keys/{keyId}', { status: 200, response: KeyJson, ...readKey }),
  admin('POST', '/keys/{keyId}/rotate', { body: KeyRotation, status: 201, response: IssuedKeyJson, ...rotateKey }),
  admin('POST', '/keys/{keyId}/revoke', { status: 200, response: KeyJson, ...revokeKey }),
  staff('GET', '/bans', { query: NewestFirst, status: 200, response: Type.Array(BanJson), ...listBans }),
  admin('POST', '/keys/{keyId}/lift-ban', { status: 200, response: BanJson, ...liftBan }),
]

const RECORDS = [
  staff('GET', '/usage', { query: UsageSearch, status: 200, response: Type.Array(UsageJson), ...sumUsage }),
  staff('GET', '/audit', { query: AuditSearch, status: 200, response: Type.Array(AuditEntryJson), ...listAudit }),
]

const SESSION = [
  anyone('POST', '/session', { body: SignIn, status: 201, response: SessionJson, ...signIn }),
  staff('GET', '/session', { status: 200, response: SessionJson, ...readSession }),
  staff('DELETE', '/session', { status: 204, ...signOut }),
]

/** The operations of the admin API, by their tags in the OpenAPI document. Their paths are below ADMIN_PATH. */
export const OPERATIONS_BY_TAG = {
  Animals: ANIMALS,
  Accounts: ACCOUNTS,
  'Keys and bans': KEYS_AND_BANS,
  Records: RECORDS,
  Session: SESSION,
}

export const OPERATIONS = Object.values(OPERATIONS_BY_TAG).flat()

/** GET /livez, /readyz and /metrics: for machines, without a token. */
export const HEALTH_IDS = ['livez', 'readyz', 'metrics'] as const

/** The methods that some path allows. */
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
