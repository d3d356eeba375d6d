import { buildRoutes, methodsOf, type Operation, type Route } from '../http/routes.ts'
import {
  AccountJson,
  AuditEntryJson,
  BanJson,
  CategoryJson,
  CategoryUseJson,
  ChangedPetsJson,
  ClaimLinkJson,
  DeletedPetsJson,
  DeprecatedUsageJson,
  DoctorJson,
  HealthJson,
  IssuedClaimLinkJson,
  IssuedKeyJson,
  IssuedTokenJson,
  KeyJson,
  PetEventJson,
  PetJson,
  PetPreviewJson,
  PetTotalsJson,
  RunningVersionJson,
  SessionJson,
  SettingJson,
  TokenJson,
  UsageJson,
  WindowsJson,
} from '../schema/operator-schemas.ts'
import { CsvPreviewJson, ImportReportJson, RunningImportJson } from '../schema/pet-file-schemas.ts'
import { Type } from '../schema/type.ts'
import type { OperatorCall } from './call.ts'
import {
  createAccount,
  deleteAccount,
  listAccounts,
  readAccount,
  readWindows,
  renameAccount,
  resumeAccount,
  setPlan,
  suspendAccount,
} from './handlers/accounts.ts'
import { AUDIT_FILE_TYPES, exportAudit, listAudit } from './handlers/audit.ts'
import { labelCategory, listCategories, unlabelCategory } from './handlers/categories.ts'
import { createClaimLink, listClaimLinks, readClaimLink, revokeClaimLink } from './handlers/claim-links.ts'
import { EVENT_TYPES, listenToChanges } from './handlers/events.ts'
import {
  changeKey,
  issueKey,
  liftBan,
  liftBansOfKey,
  listBans,
  listBansOfKey,
  listKeys,
  readKey,
  revokeKey,
  rotateKey,
} from './handlers/keys.ts'
import {
  CSV_TYPES,
  exportPets,
  importPets,
  listBadLines,
  listImports,
  PET_FILE_TYPES,
  previewImport,
} from './handlers/pet-files.ts'
import { addPet, correctPet, countPets, deletePet, readPet, readPetHistory, searchPets } from './handlers/pets.ts'
import { readDeprecatedUsage, sumUsage } from './handlers/records.ts'
import { correctPets, deletePets, previewPets } from './handlers/selected-pets.ts'
import { listSettings, readHealth, readVersion, runDoctor } from './handlers/service.ts'
import { readSession, signIn, signOut } from './handlers/session.ts'
import { createToken, listTokens, readToken, revokeToken } from './handlers/tokens.ts'
import type { Health } from './health.ts'
import { ADMIN_PATH, type AdminOperation, operationsFor } from './operation.ts'
import { BadLinesQuery, ExportQuery, ImportQuery, PreviewQuery } from './pet-file-queries.ts'
import {
  AccountName,
  AccountSearch,
  AuditExport,
  AuditSearch,
  BanSearch,
  CategoryLabel,
  CategorySearch,
  ClaimLinkSearch,
  DeprecatedUsageSearch,
  KeyChange,
  KeyRotation,
  KeySearch,
  NewAccount,
  NewClaimLink,
  NewestFirst,
  NewKey,
  NewToken,
  OldestFirst,
  PetChange,
  PetSearch,
  PetSelection,
  PetsChange,
  PetsDeletion,
  PetToAdd,
  PetTotalsSearch,
  PlanChoice,
  SignIn,
  UsageSearch,
} from './request-schemas.ts'

const staff = operationsFor('staff')
const admin = operationsFor('admin')
const anyone = operationsFor('anyone')

const ANIMALS = [
  staff('GET', '/pets', { query: PetSearch, status: 200, response: Type.Array(PetJson), ...searchPets }),
  staff('POST', '/pets', { body: PetToAdd, status: 201, response: PetJson, ...addPet }),
  staff('GET', '/pets/totals', { query: PetTotalsSearch, status: 200, response: PetTotalsJson, ...countPets }),
  staff('POST', '/pets/import', {
    query: ImportQuery,
    upload: PET_FILE_TYPES,
    status: 200,
    response: ImportReportJson,
    ...importPets,
  }),
  staff('POST', '/pets/import/bad-lines', {
    query: BadLinesQuery,
    upload: PET_FILE_TYPES,
    status: 200,
    download: CSV_TYPES,
    ...listBadLines,
  }),
  staff('GET', '/pets/import', { status: 200, response: Type.Array(RunningImportJson), ...listImports }),
  staff('POST', '/pets/import/preview', {
    query: PreviewQuery,
    upload: CSV_TYPES,
    status: 200,
    response: CsvPreviewJson,
    ...previewImport,
  }),
  staff('GET', '/pets/export', { query: ExportQuery, status: 200, download: PET_FILE_TYPES, ...exportPets }),
  staff('GET', '/pets/{petId}', { status: 200, response: PetJson, ...readPet }),
  staff('PATCH', '/pets/{petId}', { body: PetChange, status: 200, response: PetJson, ...correctPet }),
  staff('DELETE', '/pets/{petId}', { status: 204, ...deletePet }),
  staff('GET', '/pets/{petId}/history', {
    query: NewestFirst,
    status: 200,
    response: Type.Array(PetEventJson),
    ...readPetHistory,
  }),
  staff('POST', '/pets/bulk/preview', { body: PetSelection, status: 200, response: PetPreviewJson, ...previewPets }),
  staff('POST', '/pets/bulk/correct', { body: PetsChange, status: 200, response: ChangedPetsJson, ...correctPets }),
  staff('POST', '/pets/bulk/delete', { body: PetsDeletion, status: 200, response: DeletedPetsJson, ...deletePets }),
]

const CATEGORIES = [
  staff('GET', '/categories', {
    query: CategorySearch,
    status: 200,
    response: Type.Array(CategoryUseJson),
    ...listCategories,
  }),
  staff('PUT', '/categories/{categoryId}', {
    body: CategoryLabel,
    status: 200,
    response: CategoryJson,
    ...labelCategory,
  }),
  staff('DELETE', '/categories/{categoryId}', { status: 204, ...unlabelCategory }),
]

const ACCOUNTS = [
  staff('GET', '/accounts', { query: AccountSearch, status: 200, response: Type.Array(AccountJson), ...listAccounts }),
  admin('POST', '/accounts', { body: NewAccount, status: 201, response: AccountJson, ...createAccount }),
  staff('GET', '/accounts/{accountId}', { status: 200, response: AccountJson, ...readAccount }),
  staff('GET', '/accounts/{accountId}/windows', { status: 200, response: WindowsJson, ...readWindows }),
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
  admin('PATCH', '/keys/{keyId}', { body: KeyChange, status: 200, response: KeyJson, ...changeKey }),
  admin('POST', '/keys/{keyId}/rotate', { body: KeyRotation, status: 201, response: IssuedKeyJson, ...rotateKey }),
  admin('POST', '/keys/{keyId}/revoke', { status: 200, response: KeyJson, ...revokeKey }),
  staff('GET', '/claim-links', {
    query: ClaimLinkSearch,
    status: 200,
    response: Type.Array(ClaimLinkJson),
    ...listClaimLinks,
  }),
  admin('POST', '/accounts/{accountId}/claim-links', {
    body: NewClaimLink,
    status: 201,
    response: IssuedClaimLinkJson,
    ...createClaimLink,
  }),
  staff('GET', '/claim-links/{linkId}', { status: 200, response: ClaimLinkJson, ...readClaimLink }),
  admin('POST', '/claim-links/{linkId}/revoke', { status: 200, response: ClaimLinkJson, ...revokeClaimLink }),
  staff('GET', '/bans', { query: BanSearch, status: 200, response: Type.Array(BanJson), ...listBans }),
  staff('GET', '/keys/{keyId}/bans', {
    query: NewestFirst,
    status: 200,
    response: Type.Array(BanJson),
    ...listBansOfKey,
  }),
  admin('POST', '/keys/{keyId}/lift-ban', { status: 200, response: BanJson, ...liftBansOfKey }),
  admin('POST', '/bans/{banId}/lift', { status: 200, response: BanJson, ...liftBan }),
]

const RECORDS = [
  staff('GET', '/usage', { query: UsageSearch, status: 200, response: Type.Array(UsageJson), ...sumUsage }),
  staff('GET', '/usage/deprecated', {
    query: DeprecatedUsageSearch,
    status: 200,
    response: Type.Array(DeprecatedUsageJson),
    ...readDeprecatedUsage,
  }),
  staff('GET', '/audit', { query: AuditSearch, status: 200, response: Type.Array(AuditEntryJson), ...listAudit }),
  staff('GET', '/audit/export', {
    query: AuditExport,
    status: 200,
    download: AUDIT_FILE_TYPES,
    ...exportAudit,
  }),
]

const TOKENS = [
  admin('GET', '/tokens', { query: OldestFirst, status: 200, response: Type.Array(TokenJson), ...listTokens }),
  admin('POST', '/tokens', { body: NewToken, status: 201, response: IssuedTokenJson, ...createToken }),
  admin('GET', '/tokens/{tokenId}', { status: 200, response: TokenJson, ...readToken }),
  admin('POST', '/tokens/{tokenId}/revoke', { status: 200, response: TokenJson, ...revokeToken }),
]

const SERVICE = [
  staff('GET', '/events', { status: 200, download: EVENT_TYPES, ...listenToChanges }),
  staff('GET', '/version', { status: 200, response: RunningVersionJson, ...readVersion }),
  staff('GET', '/health', { status: 200, response: HealthJson, ...readHealth }),
  staff('GET', '/settings', { status: 200, response: Type.Array(SettingJson), ...listSettings }),
  staff('GET', '/doctor', { status: 200, response: DoctorJson, ...runDoctor }),
]

const SESSION = [
  anyone('POST', '/session', { body: SignIn, status: 201, response: SessionJson, ...signIn }),
  staff('GET', '/session', { status: 200, response: SessionJson, ...readSession }),
  staff('DELETE', '/session', { status: 204, ...signOut }),
]

/** The operations of the admin API, by their tags in the OpenAPI document. Their paths are below ADMIN_PATH. */
export const OPERATIONS_BY_TAG = {
  Animals: ANIMALS,
  Categories: CATEGORIES,
  Accounts: ACCOUNTS,
  'Keys and bans': KEYS_AND_BANS,
  Records: RECORDS,
  'Operator tokens': TOKENS,
  Service: SERVICE,
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
