import { createAccount, suspendAccount } from '../../src/domain/administration/accounts.ts'
import { labelCategory } from '../../src/domain/administration/categories.ts'
import { createClaimLink } from '../../src/domain/administration/claim-links.ts'
import { issueKey } from '../../src/domain/administration/keys.ts'
import { addPet, deletePet } from '../../src/domain/administration/pets.ts'
import { previewPets } from '../../src/domain/administration/selected-pets.ts'
import { createSource } from '../../src/domain/administration/sources.ts'
import type { AuditAction } from '../../src/domain/audit.ts'
import type { AdminOperation } from '../../src/operator/operation.ts'
import { OPERATIONS } from '../../src/operator/routes.ts'
import type { CallOptions, OperatorService } from './operator.ts'

/** A call of an operation that succeeds if its sender has the right to it. */
export interface Example {
  method: string
  path: string
  options: CallOptions
}

interface Making {
  /** Whether it changes nothing, although its method could. */
  onlyReads?: true
  /** The action in the audit log; absent if it only reads. */
  action?: AuditAction
  /** Creates the resources that it needs, and returns the path and the request. */
  make(service: OperatorService): Promise<{ path: string } & CallOptions>
}

const newName = () => `Example ${crypto.randomUUID()}`

const newAccount = (service: OperatorService) =>
  createAccount(service.adminContext(), { name: newName(), plan: 'free', limits: {} })
const newPet = (service: OperatorService) =>
  addPet(service.adminContext(), { name: newName(), categoryId: 7n, status: 'available' })

/** The ids of a new animal, with the version of their preview. */
async function newSelection(service: OperatorService) {
  const ids = [(await newPet(service)).id]
  return { ids, version: (await previewPets(service.store, { ids })).version }
}

/** The id of a deleted animal, and of the entry of its deletion. */
async function deletedPet(service: OperatorService) {
  const { categoryLabel: _, origin: __, ...pet } = await newPet(service)
  await deletePet(service.adminContext(), pet)
  const [entry] = await service.store.listPetHistory({ petId: pet.id, limit: 1 })
  return { pet: pet.id, id: entry?.id as bigint }
}

const newSource = (service: OperatorService) => createSource(service.adminContext(), crypto.randomUUID(), {})

let categories = 1_000

function newCategoryId(): number {
  categories += 1
  return categories
}

async function newKey(service: OperatorService) {
  const { id } = await newAccount(service)
  return issueKey(service.adminContext(), { account: String(id) })
}

async function newClaimLink(service: OperatorService) {
  const { id } = await newAccount(service)
  return createClaimLink(service.adminContext(), { account: String(id), validForSeconds: 3_600 })
}

/** One for each operation, by its id. */
const EXAMPLES: Record<string, Making> = {
  findSecret: {
    onlyReads: true,
    make: async service => ({ path: '/keys/find', body: { secret: (await newKey(service)).key } }),
  },
  searchPets: { make: async () => ({ path: '/pets' }) },
  searchDeletedPets: {
    async make(service) {
      await deletedPet(service)
      return { path: '/pets/deleted' }
    },
  },
  addPet: { action: 'pet.create', make: async () => ({ path: '/pets', body: { name: newName(), categoryId: 1 } }) },
  importPets: {
    action: 'pet.import',
    make: async () => ({
      path: '/pets/import',
      body: `name,categoryId\n${newName()},7\n`,
      type: 'text/csv',
    }),
  },
  listImports: { make: async () => ({ path: '/pets/import' }) },
  previewImport: {
    make: async () => ({ path: '/pets/import/preview', body: 'name,categoryId\nRex,7\n', type: 'text/csv' }),
  },
  listBadLines: {
    onlyReads: true,
    make: async () => ({ path: '/pets/import/bad-lines', body: 'name,categoryId\nRex,x\n', type: 'text/csv' }),
  },
  exportPets: {
    async make(service) {
      await addPet(service.adminContext(), { name: newName(), categoryId: 1n, status: 'sold' })
      return { path: '/pets/export' }
    },
  },
  readPet: { make: async service => ({ path: `/pets/${(await newPet(service)).id}` }) },
  correctPet: {
    action: 'pet.correct',
    make: async service => ({
      path: `/pets/${(await newPet(service)).id}`,
      headers: { 'If-Match': '*' },
      body: { name: newName() },
    }),
  },
  deletePet: {
    action: 'pet.delete',
    make: async service => ({ path: `/pets/${(await newPet(service)).id}`, headers: { 'If-Match': '*' } }),
  },
  countPets: { make: async () => ({ path: '/pets/totals' }) },
  restorePet: {
    action: 'pet.restore',
    async make(service) {
      const { id, pet } = await deletedPet(service)
      return { path: `/pets/${pet}/restore`, body: { entryId: Number(id), state: 'before' } }
    },
  },
  petsOfEntry: { make: async service => ({ path: `/audit/${(await deletedPet(service)).id}/pets` }) },
  previewUndo: { make: async service => ({ path: `/audit/${(await deletedPet(service)).id}/undo` }) },
  undoEntry: {
    action: 'pet.undo',
    make: async service => ({ path: `/audit/${(await deletedPet(service)).id}/undo`, body: {} }),
  },
  listSources: { make: async () => ({ path: '/sources' }) },
  createSource: {
    action: 'source.create',
    make: async () => ({ path: '/sources', body: { name: crypto.randomUUID() } }),
  },
  readSource: { make: async service => ({ path: `/sources/${(await newSource(service)).name}` }) },
  changeSource: {
    action: 'source.change',
    make: async service => ({ path: `/sources/${(await newSource(service)).name}`, body: { missing: 'keep' } }),
  },
  removeSource: {
    action: 'source.remove',
    make: async service => ({ path: `/sources/${(await newSource(service)).name}` }),
  },
  listSourceRuns: { make: async service => ({ path: `/sources/${(await newSource(service)).name}/runs` }) },
  syncSource: {
    action: 'pet.sync',
    make: async service => ({
      path: `/sources/${(await newSource(service)).name}/file`,
      body: `ID,name,categoryId\nA1,${newName()},7\n`,
      type: 'text/csv',
    }),
  },
  readPetHistory: { make: async service => ({ path: `/pets/${(await newPet(service)).id}/history` }) },
  previewPets: {
    onlyReads: true,
    make: async service => ({ path: '/pets/bulk/preview', body: { ids: [(await newPet(service)).id] } }),
  },
  correctPets: {
    action: 'pet.correct-many',
    make: async service => ({
      path: '/pets/bulk/correct',
      body: { ...(await newSelection(service)), change: { name: newName() } },
    }),
  },
  deletePets: {
    action: 'pet.delete-many',
    make: async service => ({ path: '/pets/bulk/delete', body: await newSelection(service) }),
  },
  listCategories: { make: async () => ({ path: '/categories' }) },
  labelCategory: {
    action: 'category.label',
    make: async () => ({ path: `/categories/${newCategoryId()}`, body: { label: newName() } }),
  },
  unlabelCategory: {
    action: 'category.unlabel',
    async make(service) {
      const id = String(newCategoryId())
      await labelCategory(service.adminContext(), id, newName())
      return { path: `/categories/${id}` }
    },
  },
  listAccounts: { make: async () => ({ path: '/accounts' }) },
  createAccount: {
    action: 'account.create',
    make: async () => ({ path: '/accounts', body: { name: newName(), plan: 'pro' } }),
  },
  readAccount: { make: async service => ({ path: `/accounts/${(await newAccount(service)).id}` }) },
  readWindows: { make: async service => ({ path: `/accounts/${(await newAccount(service)).id}/windows` }) },
  renameAccount: {
    action: 'account.rename',
    make: async service => ({ path: `/accounts/${(await newAccount(service)).id}`, body: { name: newName() } }),
  },
  deleteAccount: {
    action: 'account.delete',
    make: async service => ({ path: `/accounts/${(await newAccount(service)).id}` }),
  },
  setPlan: {
    action: 'account.set-plan',
    make: async service => ({ path: `/accounts/${(await newAccount(service)).id}/plan`, body: { plan: 'business' } }),
  },
  suspendAccount: {
    action: 'account.suspend',
    make: async service => ({ path: `/accounts/${(await newAccount(service)).id}/suspend` }),
  },
  resumeAccount: {
    action: 'account.resume',
    async make(service) {
      const { id } = await newAccount(service)
      await suspendAccount(service.adminContext(), String(id))
      return { path: `/accounts/${id}/resume` }
    },
  },
  listKeys: { make: async () => ({ path: '/keys' }) },
  issueKey: {
    action: 'key.issue',
    make: async service => ({ path: `/accounts/${(await newAccount(service)).id}/keys`, body: {} }),
  },
  readKey: { make: async service => ({ path: `/keys/${(await newKey(service)).id}` }) },
  changeKey: {
    action: 'key.change',
    make: async service => ({ path: `/keys/${(await newKey(service)).id}`, body: { scope: 'read' } }),
  },
  rotateKey: {
    action: 'key.rotate',
    make: async service => ({ path: `/keys/${(await newKey(service)).id}/rotate`, body: {} }),
  },
  revokeKey: {
    action: 'key.revoke',
    make: async service => ({ path: `/keys/${(await newKey(service)).id}/revoke` }),
  },
  listClaimLinks: { make: async () => ({ path: '/claim-links' }) },
  createClaimLink: {
    action: 'claim-link.create',
    make: async service => ({ path: `/accounts/${(await newAccount(service)).id}/claim-links`, body: {} }),
  },
  readClaimLink: { make: async service => ({ path: `/claim-links/${(await newClaimLink(service)).id}` }) },
  revokeClaimLink: {
    action: 'claim-link.revoke',
    make: async service => ({ path: `/claim-links/${(await newClaimLink(service)).id}/revoke` }),
  },
  listBans: { make: async () => ({ path: '/bans' }) },
  listBansOfKey: { make: async service => ({ path: `/keys/${(await newKey(service)).id}/bans` }) },
  liftBan: {
    action: 'ban.lift',
    make: async service => ({ path: `/bans/${(await newBan(service)).id}/lift` }),
  },
  liftBansOfKey: {
    action: 'ban.lift',
    make: async service => ({ path: `/keys/${(await newBan(service)).keyId}/lift-ban` }),
  },
  listRefusalsOfKey: { make: async service => ({ path: `/keys/${(await newKey(service)).id}/refusals` }) },
  listRefusalsOfAccount: { make: async service => ({ path: `/accounts/${(await newAccount(service)).id}/refusals` }) },
  sumUsage: { make: async () => ({ path: '/usage' }) },
  readDeprecatedUsage: { make: async () => ({ path: '/usage/deprecated' }) },
  listAudit: { make: async () => ({ path: '/audit' }) },
  listTokens: { make: async () => ({ path: '/tokens' }) },
  createSignInLink: {
    action: 'token.link',
    make: async service => ({
      path: `/tokens/${(await service.createToken('staff')).id}/sign-in-links`,
      body: { validForSeconds: 3_600 },
    }),
  },
  createToken: {
    action: 'token.create',
    make: async () => ({ path: '/tokens', body: { name: newName(), role: 'staff' } }),
  },
  readToken: { make: async service => ({ path: `/tokens/${service.staff.id}` }) },
  revokeToken: {
    action: 'token.revoke',
    make: async service => ({ path: `/tokens/${(await service.createToken('staff')).id}/revoke` }),
  },
  listenToChanges: { make: async () => ({ path: '/events' }) },
  exportUsage: { make: async () => ({ path: '/usage/export' }) },
  exportAudit: { make: async () => ({ path: '/audit/export' }) },
  readVersion: { make: async () => ({ path: '/version' }) },
  readHealth: { make: async () => ({ path: '/health' }) },
  listSettings: { make: async () => ({ path: '/settings' }) },
  runDoctor: { make: async () => ({ path: '/doctor' }) },
  signIn: {
    action: 'session.sign-in',
    make: async service => ({ path: '/session', token: null, body: { token: service.staff.token } }),
  },
  readSession: { make: async () => ({ path: '/session' }) },
  signOut: { action: 'session.sign-out', make: async () => ({ path: '/session' }) },
}

/** Creates everything that a call of this operation needs, and returns the call. */
export async function exampleOf(operation: AdminOperation, service: OperatorService): Promise<Example> {
  const { path, ...options } = await makingOf(operation).make(service)
  return { method: operation.method, path, options }
}

/** Its action in the audit log; undefined for an operation that changes nothing. */
export function actionOf(operation: AdminOperation): AuditAction | undefined {
  return makingOf(operation).action
}

function makingOf({ id }: AdminOperation): Making {
  const making = EXAMPLES[id]
  if (!making) throw new Error(`Write an example of the operation ${id}.`)
  return making
}

/** All except signing in, which provides the credentials. */
export const GUARDED = OPERATIONS.filter(({ role }) => role !== 'anyone')
/** The operations that change something. */
export const CHANGING = OPERATIONS.filter(one => one.method !== 'GET' && !makingOf(one).onlyReads)

async function newBan(service: OperatorService) {
  const { id } = await newKey(service)
  const { now } = service.clock
  const term = { source: '192.0.2.7', earnedIn: 'minute', startedAt: now, endsAt: now + 60_000, ordinal: 1 } as const
  return service.store.createBan(id, term)
}
