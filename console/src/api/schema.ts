// Made from the OpenAPI document of the admin API by `npm run generate --workspace console`.

/** An animal of the catalogue, as operators see it. */
export interface Pet {
  id: bigint
  name: string
  categoryId: bigint
  status: PetStatus
  categoryLabel: string | null
  origin: {
    source: string
    externalId: string
  } | null
  etag: string
}

/** Every error response has this shape. */
export interface Error {
  code: string
  message: string
  status: number
  errors?: {
    member: string
    message: string
  }[]
}

/** Availability status. */
export type PetStatus = 'available' | 'pending' | 'sold'

/** A deleted animal, as it was last. */
export interface DeletedPet {
  id: bigint
  name: string
  categoryId: bigint
  status: PetStatus
  categoryLabel: string | null
  origin: Pet['origin']
  deletedAt: string
  deletedBy: string
  entryId: bigint
}

/** The number of animals by status. */
export interface PetTotals {
  total: number
  available: number
  pending: number
  sold: number
}

/** An action of an operator on an animal. */
export interface PetEvent {
  id: bigint
  at: string
  actor: string
  tokenId: bigint | null
  origin: string
  action: AuditAction
  before: {
    name: string
    categoryId: bigint
    status: PetStatus
  } | null
  after: PetEvent['before']
  details: Record<string, string | number | boolean | null>
}

/** The result of an import. */
export interface ImportReport {
  outcome: 'imported' | 'checked' | 'refused'
  mode: 'add' | 'update'
  read: number
  imported: number
  firstId: bigint | null
  lastId: bigint | null
  entryId: bigint | null
  updated: number
  unchanged: number
  badLines: number
  badLinesOmitted: number
  reasons: BadLineReason[]
  unknownValues: UnknownValue[]
  newCategories: {
    id: bigint
    label: string
  }[]
  bad: BadLine[]
}

/** An import in progress. */
export interface RunningImport {
  requestId: string
  actor: string
  startedAt: string
  bytes: number
  read: number
  badLines: number
  isRead: boolean
}

/** The start of a CSV file or a workbook, as an import would read it. */
export interface CsvPreview {
  delimiter: ('comma' | 'semicolon' | 'tab' | 'pipe') | null
  sheets: string[]
  encoding: string | null
  guesses: {
    encoding: string
    lines: string[]
  }[]
  header: string[]
  columns: {
    id?: string
    name?: string
    categoryId?: string
    status?: string
  }
  rows: string[][]
}

/** The animals that a change to many animals would affect. */
export interface PetPreview {
  count: number
  version: string | null
  sample: Pet[]
  missingIds: bigint[]
}

/** The result of a change to many animals. */
export interface ChangedPets {
  changed: number
  entryId: bigint | null
}

/** The result of a deletion of many animals. */
export interface DeletedPets {
  deleted: number
  entryId: bigint | null
}

/** A file that other software writes again and again, with all its animals. */
export interface Source {
  id: bigint
  name: string
  keyColumn: string | null
  missing: 'sold' | 'delete' | 'keep'
  maxRemovals: string | null
  pauseSeconds: number | null
  meanings: string | null
  newCategories: boolean
  expectedPauseSeconds: number | null
  nextExpectedAt: string | null
  isLate: boolean
  createdAt: string
  lastRun: SourceRun | null
}

/** A file of a source. */
export interface SourceRun {
  id: bigint
  at: string
  actor: string
  tokenId: bigint | null
  file: string
  outcome: 'synced' | 'refused'
  refusal: string | null
  read: number
  added: number
  corrected: number
  returned: number
  removed: number
  unchanged: number
  leftOut: number
  entryId: bigint | null
  reasons: BadLineReason[]
}

/** The result of a file of a source. */
export interface SyncReport {
  outcome: 'synced' | 'checked' | 'refused'
  refusal: string | null
  read: number
  added: number
  corrected: number
  returned: number
  removed: number
  unchanged: number
  leftOut: number
  entryId: bigint | null
  badLinesOmitted: number
  reasons: BadLineReason[]
  unknownValues: UnknownValue[]
  newCategories: ImportReport['newCategories']
  bad: BadLine[]
}

/** A category that has a label or animals. */
export interface CategoryUse {
  id: bigint
  label: string | null
  animals: number
}

/** An account with its calls of today. */
export interface AccountWithUsage extends Account {
  usageToday: {
    admitted: number
    refused: number
    banned: number
    usedPercent: number
  }
  bannedKeys: number
}

/** The plan of the account. */
export type Plan = 'free' | 'pro' | 'business' | 'enterprise'

/** An account: it owns API keys and has a plan. */
export interface Account {
  id: bigint
  name: string
  plan: Plan
  perMinute: number
  perDay: number
  state: 'active' | 'suspended'
  suspendedAt: string | null
  createdAt: string
  deprecatedCalls: number
  lastDeprecatedCallAt: string | null
  etag: string
}

/** How many calls an account has used and has left. */
export interface Windows {
  at: string
  complete: boolean
  minute: {
    limit: number
    used: number
    remaining: number
    resetsAt: string | null
  }
  day: Windows['minute']
}

/** An API key. The key itself is not stored. */
export interface Key {
  id: bigint
  accountId: bigint
  account: string
  name: string | null
  scope: 'read' | 'read-write'
  networks: string[] | null
  hint: string
  state: 'active' | 'expired' | 'revoked'
  createdAt: string
  expiresAt: string | null
  revokedAt: string | null
  lastUsedAt: string | null
  lastUsedFrom: string | null
  replacedBy: bigint | null
  bannedUntil: string | null
}

/** A newly issued API key. */
export interface IssuedKey extends Key {
  key: string
}

/** Whose a secret is. The secret itself is not in it. */
export interface FoundSecret {
  kind: ('key' | 'operator-token' | 'claim-link' | 'sign-in-link' | 'session') | null
  state: 'active' | 'expired' | 'revoked' | 'open' | 'claimed' | 'mistyped' | 'other-deployment' | 'unknown'
  key: Key | null
  claimLink: ClaimLink | null
  token: Token | null
  endsAt: string | null
}

/** A temporary ban of one API key for one source. */
export interface Ban {
  id: bigint
  keyId: bigint
  accountId: bigint
  account: string
  keyName: string | null
  source: string | null
  state: 'in-force' | 'over' | 'lifted'
  startedAt: string
  endsAt: string
  liftedAt: string | null
  ordinal: number
}

/** A link to a page that issues one API key. The link itself is not stored. */
export interface ClaimLink {
  id: bigint
  accountId: bigint
  account: string
  name: string | null
  scope: 'read' | 'read-write'
  networks: string[] | null
  keyExpiresAt: string | null
  state: 'open' | 'claimed' | 'expired' | 'revoked'
  createdAt: string
  expiresAt: string
  claimedAt: string | null
  claimedFrom: string | null
  keyId: bigint | null
  revokedAt: string | null
}

/** A newly created claim link. */
export interface IssuedClaimLink extends ClaimLink {
  link: string
}

/** A sum of calls. It has only the members that you group by, and the counts. */
export interface Usage {
  day?: string
  hour?: string
  accountId?: bigint
  account?: string | null
  keyId?: bigint
  keyName?: string | null
  operation?: string
  status?: '2xx' | '3xx' | '4xx' | '5xx' | 'none' | 'refused' | 'banned'
  admitted: number
  refused: number
  banned: number
  status2xx: number
  status3xx: number
  status4xx: number
  status5xx: number
  lastAt: string | null
}

/** The accounts that still call a deprecated operation. */
export interface DeprecatedUsage {
  operation: string
  deprecatedAt: string
  removedAt: string
  from: string
  to: string
  accounts: number
  calls: number
  lastAt: string | null
  callers: {
    accountId: bigint
    account: string
    calls: number
    lastAt: string
  }[]
}

/** A call with an API key that was answered with an error. */
export interface Refusal {
  calledAt: string
  keyId: bigint
  keyName: string | null
  method: string
  path: string
  status: number
  code: string
  calledFrom: string
  userAgent: string | null
}

/** An action of an operator. */
export interface AuditEntry {
  id: bigint
  at: string
  actor: string
  tokenId: bigint | null
  origin: string
  action: AuditAction
  subjectKind: ('account' | 'key' | 'claim-link' | 'ban' | 'pet' | 'category' | 'source' | 'token') | null
  subjectId: bigint | null
  subjectName: string | null
  accountId: bigint | null
  account: string | null
  before: Record<string, string | number | boolean | null> | null
  after: Record<string, string | number | boolean | null> | null
  details: Record<string, string | number | boolean | null>
  pet: PetOfEntry | null
}

/** What an action did to one of its animals. */
export interface PetOfEntry {
  id: bigint
  before: PetEvent['before']
  after: PetEvent['before']
}

/** What undoing an action on animals would do. */
export interface UndoPreview {
  undone: number
  kept: number
  changedSince: {
    petId: bigint
    change: {
      id: bigint
      at: string
      actor: string
      action: AuditAction
    } | null
  }[]
  labels: {
    categoryId: bigint
    label: string
    outcome: 'removed' | 'returned' | 'used' | 'changed'
  }[]
}

/** What undoing an action on animals has done. */
export interface Undo extends UndoPreview {
  entryId: bigint
}

/** An operator token. The token itself is not stored. */
export interface Token {
  id: bigint
  name: string
  role: Role
  source: string | null
  hint: string
  state: 'active' | 'expired' | 'revoked'
  createdAt: string
  expiresAt: string | null
  revokedAt: string | null
}

/** A newly created operator token. */
export interface IssuedToken extends Token {
  token: string
}

/** A link that signs a browser in once, without a token. */
export interface IssuedSignInLink {
  link: string
  tokenId: bigint
  expiresAt: string
}

/** The running program. */
export interface Version {
  version: string
  commit: string | null
  builtAt: string | null
  api: string
  node: string
  platform: string
  deployment: 'production' | 'staging'
  publicUrl: string | null
  startedAt: string
}

/** The health of this instance. */
export interface Health {
  state: 'ok' | 'degraded' | 'failing'
  instances: number
  parts: HealthPart[]
}

/** A setting of the service. */
export interface Setting {
  name: string
  topic: string
  value: string | null
  default: string | null
  source: 'environment' | 'file' | 'default'
  meaning: string
}

/** The results of all checks, and whether they passed. */
export interface Doctor {
  ok: boolean
  findings: Finding[]
}

/** The signed-in operator. */
export interface Session {
  operator: Operator
  expiresAt: string | null
  csrfToken: string | null
}

/** What was done. */
export type AuditAction =
  | 'account.create'
  | 'account.rename'
  | 'account.set-plan'
  | 'account.suspend'
  | 'account.resume'
  | 'account.delete'
  | 'key.issue'
  | 'key.change'
  | 'key.rotate'
  | 'key.revoke'
  | 'key.claim'
  | 'claim-link.create'
  | 'claim-link.revoke'
  | 'ban.lift'
  | 'pet.create'
  | 'pet.correct'
  | 'pet.delete'
  | 'pet.correct-many'
  | 'pet.delete-many'
  | 'pet.import'
  | 'pet.update'
  | 'pet.sync'
  | 'pet.undo'
  | 'pet.restore'
  | 'category.label'
  | 'category.unlabel'
  | 'source.create'
  | 'source.change'
  | 'source.remove'
  | 'token.create'
  | 'token.link'
  | 'token.revoke'
  | 'session.sign-in'
  | 'session.sign-out'
  | 'sign-in.refused'
  | 'store.restore'
  | 'store.move'
  | 'store.confirm-clock'

/** A reason why lines cannot be imported. */
export interface BadLineReason {
  reason: string
  count: number
  firstLines: number[]
}

/** A word in the column of a member whose meaning is not known. */
export interface UnknownValue {
  member: string
  value: string
  count: number
  firstLines: number[]
}

/** A line that cannot be imported. */
export interface BadLine {
  line: number
  reason: string
  problems: {
    member: string
    value: string | null
    reason: string
  }[]
}

/** `feed` can send the file of one source, and nothing else; `staff` can manage animals and read everything except tokens; `admin` can do everything. */
export type Role = 'feed' | 'staff' | 'admin'

/** The health of one part. */
export interface HealthPart {
  part: string
  state: 'ok' | 'degraded' | 'failing'
  message: string
  since: string | null
}

/** The result of a check. */
export interface Finding {
  check: string
  outcome: 'ok' | 'warn' | 'fail'
  message: string
}

/** The operator making the call. */
export interface Operator {
  tokenId: bigint
  name: string
  role: Role
}

/** The members that are 64-bit integers. */
export const INT64_MEMBERS: ReadonlySet<string> = new Set(['accountId', 'categoryId', 'entryId', 'firstId', 'id', 'keyId', 'lastId', 'missingIds', 'petId', 'replacedBy', 'subjectId', 'tokenId'])
