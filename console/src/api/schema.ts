// Made from the OpenAPI document of the admin API by `npm run generate --workspace console`.

/** An animal of the catalogue, as operators see it. */
export interface Pet {
  /** Unique identifier, assigned by the service on creation, starting at 1. */
  id: bigint
  /** The animal's name, kept byte for byte. */
  name: string
  /** Identifier of the category the animal belongs to. */
  categoryId: bigint
  status: PetStatus
  categoryLabel: string | null
  origin: {
    /** The name of the source. */
    source: string
    /** The id of the animal there. */
    externalId: string
  } | null
  /** The version of the animal, for `If-Match`. A new label does not change it. */
  etag: string
}

/** Every error response has this shape. */
export interface Error {
  /** Machine-readable error code. More codes may be added: handle an unknown one by its `status`. */
  code: string
  /** What is wrong, and how to fix it. */
  message: string
  /** The HTTP status code of the response. */
  status: number
  /** Every invalid member or parameter; absent if the request was refused for another reason. */
  errors?: {
    /** The name of the member or parameter. */
    member: string
    /** What it must be. */
    message: string
  }[]
}

/** Availability status. */
export type PetStatus = 'available' | 'pending' | 'sold'

/** A deleted animal, as it was last. */
export interface DeletedPet {
  /** Unique identifier, assigned by the service on creation, starting at 1. */
  id: bigint
  /** The animal's name, kept byte for byte. */
  name: string
  /** Identifier of the category the animal belongs to. */
  categoryId: bigint
  status: PetStatus
  categoryLabel: string | null
  origin: Pet['origin']
  /** When it was deleted. */
  deletedAt: string
  /** Who deleted it. */
  deletedBy: string
  /** Identifier of the deletion in the audit log. Restore the animal to its state before this entry. */
  entryId: bigint
}

/** The number of animals by status. */
export interface PetTotals {
  /** All animals. */
  total: number
  /** Animals with the status `available`. */
  available: number
  /** Animals with the status `pending`. */
  pending: number
  /** Animals with the status `sold`. */
  sold: number
}

/** An action of an operator on an animal. */
export interface PetEvent {
  /** Identifier of the entry in the audit log; later entries have higher ids. */
  id: bigint
  /** When it was done. */
  at: string
  /** Who did it. */
  actor: string
  tokenId: bigint | null
  /** Where it came from: an address, or `command line`. */
  origin: string
  action: AuditAction
  before: {
    /** The animal's name, kept byte for byte. */
    name: string
    /** Identifier of the category the animal belongs to. */
    categoryId: bigint
    status: PetStatus
  } | null
  after: PetEvent['before']
  /** Additional details. Older entries have the values of the animal here. */
  details: Record<string, string | number | boolean | null>
}

/** The result of an import. */
export interface ImportReport {
  /** `imported`: the import is complete. `checked`: this was a dry run. `refused`: there are bad lines, and nothing was changed. */
  outcome: 'imported' | 'checked' | 'refused'
  /** `add`: each line is a new animal. `update`: each line has the id of an animal and its new values; empty or missing values do not change. */
  mode: 'add' | 'update'
  /** Lines with an animal. */
  read: number
  /** Animals added; in a dry run, animals that would be added. */
  imported: number
  firstId: bigint | null
  lastId: bigint | null
  entryId: bigint | null
  /** Animals corrected; in a dry run, animals that would be corrected. */
  updated: number
  /** Animals that already had the values in their lines. */
  unchanged: number
  /** Lines that cannot be imported. */
  badLines: number
  /** Those of them that `bad` does not list. */
  badLinesOmitted: number
  /** Why all of them cannot be imported, the most common reason first. */
  reasons: BadLineReason[]
  /** Words that need a meaning before their lines can be imported, the most frequent first; up to 1,000. Give them with `meanings`. */
  unknownValues: UnknownValue[]
  /** Categories that were labelled, or would be in a dry run, with `newCategories`. */
  newCategories: {
    /** Its number. */
    id: bigint
    /** Its label. */
    label: string
  }[]
  /** The first 1,000 of these lines. `POST /pets/import/bad-lines` returns all of them. */
  bad: BadLine[]
}

/** An import in progress. */
export interface RunningImport {
  /** The `X-Request-Id` of the import. */
  requestId: string
  /** Who started the import. */
  actor: string
  /** When it began. */
  startedAt: string
  /** Bytes of the file read so far. */
  bytes: number
  /** Lines with an animal so far. */
  read: number
  /** Bad lines so far. */
  badLines: number
  /** Whether the whole file has been read and only the last step remains. */
  isRead: boolean
}

/** The start of a CSV file or a workbook, as an import would read it. */
export interface CsvPreview {
  delimiter: ('comma' | 'semicolon' | 'tab' | 'pipe') | null
  /** The visible sheets of a workbook; none for a CSV file. */
  sheets: string[]
  encoding: string | null
  /** If the bytes of the file do not show its encoding: the likely ones, best first, also if `encoding` was given. Otherwise empty. */
  guesses: {
    /** The name of an encoding. */
    encoding: string
    /** Up to three lines with characters beyond ASCII, read in this encoding; long ones are cut. */
    lines: string[]
  }[]
  /** The names in the header. */
  header: string[]
  /** The suggested column for each member. */
  columns: {
    /** The column of `id`. */
    id?: string
    /** The column of `name`. */
    name?: string
    /** The column of `categoryId`. */
    categoryId?: string
    /** The column of `status`. */
    status?: string
  }
  /** The first rows below the header. */
  rows: string[][]
}

/** The animals that a change to many animals would affect. */
export interface PetPreview {
  /** How many animals are selected. */
  count: number
  version: string | null
  /** The first 20 of them, in ascending order of id. */
  sample: Pet[]
  /** The given ids that do not exist. */
  missingIds: bigint[]
}

/** The result of a change to many animals. */
export interface ChangedPets {
  /** How many animals were changed, not counting those that already had the new values. */
  changed: number
  entryId: bigint | null
}

/** The result of a deletion of many animals. */
export interface DeletedPets {
  /** How many animals were deleted. */
  deleted: number
  entryId: bigint | null
}

/** A file that other software writes again and again, with all its animals. */
export interface Source {
  /** Identifier of the source, as in the audit log. */
  id: bigint
  /** Its name. */
  name: string
  keyColumn: string | null
  /** What happens to animals that are missing from the file: they become `sold`, they are deleted, or they stay as they are. */
  missing: 'sold' | 'delete' | 'keep'
  maxRemovals: string | null
  pauseSeconds: number | null
  meanings: string | null
  /** Whether unknown words in the column of categories get the next free numbers, and become labels. */
  newCategories: boolean
  expectedPauseSeconds: number | null
  nextExpectedAt: string | null
  /** Whether twice the usual pause has passed without a file. */
  isLate: boolean
  /** When the source was created. */
  createdAt: string
  lastRun: SourceRun | null
}

/** A file of a source. */
export interface SourceRun {
  /** Identifier of the run; later runs have higher ids. */
  id: bigint
  /** When the file was taken over or refused. */
  at: string
  /** Who sent it. */
  actor: string
  tokenId: bigint | null
  /** The name of the file. */
  file: string
  /** `refused`: nothing was changed. */
  outcome: 'synced' | 'refused'
  refusal: string | null
  /** Lines with an animal. */
  read: number
  /** Animals added. */
  added: number
  /** Animals corrected. */
  corrected: number
  /** Animals that were missing, and are in the file again. */
  returned: number
  /** Animals that became sold or were deleted, because they are missing. */
  removed: number
  /** Animals that already had the values in their lines. */
  unchanged: number
  /** Lines that cannot be imported. */
  leftOut: number
  entryId: bigint | null
  /** Why all of them cannot be imported, the most common reason first. */
  reasons: BadLineReason[]
}

/** The result of a file of a source. */
export interface SyncReport {
  /** `synced`: the animals are as in the file. `checked`: this was a dry run. `refused`: the same, of a file that would be refused. */
  outcome: 'synced' | 'checked' | 'refused'
  refusal: string | null
  /** Lines with an animal. */
  read: number
  /** Animals added. */
  added: number
  /** Animals corrected. */
  corrected: number
  /** Animals that were missing, and are in the file again. */
  returned: number
  /** Animals that became sold or were deleted, because they are missing. */
  removed: number
  /** Animals that already had the values in their lines. */
  unchanged: number
  /** Lines that cannot be imported. */
  leftOut: number
  entryId: bigint | null
  /** Those of them that `bad` does not list. */
  badLinesOmitted: number
  /** Why all of them cannot be imported, the most common reason first. */
  reasons: BadLineReason[]
  /** Words that need a meaning before their lines can be imported, the most frequent first; up to 1,000. Give them with `meanings`. */
  unknownValues: UnknownValue[]
  /** Categories that were labelled, or would be in a dry run, with `newCategories`. */
  newCategories: ImportReport['newCategories']
  /** The first 1,000 of these lines. `POST /pets/import/bad-lines` returns all of them. */
  bad: BadLine[]
}

/** A category that has a label or animals. */
export interface CategoryUse {
  /** The `categoryId` of its animals. */
  id: bigint
  label: string | null
  /** How many animals are in it. */
  animals: number
}

/** An account with its calls of today. */
export interface AccountWithUsage extends Account {
  /** Its calls of the current UTC day, for all its keys together; as of a few seconds ago. */
  usageToday: {
    /** Calls that were admitted. Only they count against the limits. */
    admitted: number
    /** Calls over the limit. */
    refused: number
    /** Calls with a banned key. */
    banned: number
    /** `admitted` as a percentage of `perDay`, rounded down; can exceed 100 after a change to a smaller plan. */
    usedPercent: number
  }
  /** How many of its keys have a ban in force. */
  bannedKeys: number
}

/** The plan of the account. */
export type Plan = 'free' | 'pro' | 'business' | 'enterprise'

/** An account: it owns API keys and has a plan. */
export interface Account {
  /** Identifier of the account. */
  id: bigint
  /** Its unique name. */
  name: string
  plan: Plan
  /** Requests per minute, for all its keys together. */
  perMinute: number
  /** Requests per UTC day, for all its keys together. */
  perDay: number
  /** A suspended account cannot call. */
  state: 'active' | 'suspended'
  suspendedAt: string | null
  /** When it was created. */
  createdAt: string
  /** Calls to the deprecated operation, as far back as usage is kept. */
  deprecatedCalls: number
  lastDeprecatedCallAt: string | null
  /** The version of the account, for `If-Match`. Calls do not change it. */
  etag: string
}

/** How many calls an account has used and has left. */
export interface Windows {
  /** When the windows were read, by the clock that times them. */
  at: string
  /** False while calls counted by other instances may be missing, for example during a Redis outage. */
  complete: boolean
  /** The minute that begins with the first counted call. */
  minute: {
    /** Calls allowed, for all keys of the account together. */
    limit: number
    /** Calls counted so far; can exceed the limit after a change to a smaller plan. */
    used: number
    /** Calls left. */
    remaining: number
    resetsAt: string | null
  }
  /** The UTC day. */
  day: Windows['minute']
}

/** An API key. The key itself is not stored. */
export interface Key {
  /** Identifier of the key. */
  id: bigint
  /** The account that owns it. */
  accountId: bigint
  /** The name of that account. */
  account: string
  name: string | null
  /** A `read` key cannot add animals. */
  scope: 'read' | 'read-write'
  networks: string[] | null
  /** The last characters of the key. */
  hint: string
  /** Only an active key can call. */
  state: 'active' | 'expired' | 'revoked'
  /** When it was issued. */
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
  /** The key itself. It is shown only once. */
  key: string
}

/** Whose a secret is. The secret itself is not in it. */
export interface FoundSecret {
  kind: ('key' | 'operator-token' | 'claim-link' | 'sign-in-link' | 'session') | null
  /** A key, an operator token or a session is `active`, `expired` or `revoked`; a claim link is `open`, `claimed`, `expired` or `revoked`. `mistyped`: it has a typing error, or a part is missing. `other-deployment`: it is of staging, and this is production, or the other way round. `unknown`: it was deleted, has ended, or never existed. */
  state: 'active' | 'expired' | 'revoked' | 'open' | 'claimed' | 'mistyped' | 'other-deployment' | 'unknown'
  key: Key | null
  claimLink: ClaimLink | null
  token: Token | null
  endsAt: string | null
}

/** A temporary ban of one API key for one source. */
export interface Ban {
  /** Identifier of the ban. */
  id: bigint
  /** The key that is banned. */
  keyId: bigint
  /** The account that owns the key. */
  accountId: bigint
  /** The name of that account. */
  account: string
  keyName: string | null
  source: string | null
  /** A ban in force has neither ended nor been lifted. */
  state: 'in-force' | 'over' | 'lifted'
  /** When it began. */
  startedAt: string
  /** When it ends. */
  endsAt: string
  liftedAt: string | null
  /** Which ban of the source in a row this is (1 = first). Each is twice as long as the one before. A ban earned in an exhausted day ends with that day at the latest, and does not count. */
  ordinal: number
}

/** A link to a page that issues one API key. The link itself is not stored. */
export interface ClaimLink {
  /** Identifier of the link. */
  id: bigint
  /** The account that the key is for. */
  accountId: bigint
  /** The name of that account. */
  account: string
  name: string | null
  /** A `read` key cannot add animals. */
  scope: 'read' | 'read-write'
  networks: string[] | null
  keyExpiresAt: string | null
  /** Only an open link can be claimed. */
  state: 'open' | 'claimed' | 'expired' | 'revoked'
  /** When the link was created. */
  createdAt: string
  /** When the link expires. */
  expiresAt: string
  claimedAt: string | null
  claimedFrom: string | null
  keyId: bigint | null
  revokedAt: string | null
}

/** A newly created claim link. */
export interface IssuedClaimLink extends ClaimLink {
  /** The link itself. It is shown only once. */
  link: string
}

/** A sum of calls. It has only the members that you group by, and the counts. */
export interface Usage {
  /** The UTC day. */
  day?: string
  /** The start of the hour. */
  hour?: string
  /** The account. */
  accountId?: bigint
  account?: string | null
  /** The key. */
  keyId?: bigint
  keyName?: string | null
  /** The operation, or `none`. */
  operation?: string
  /** How the calls ended: the class of the response, or `none` if there was none. `refused` and `banned` calls were not admitted. */
  status?: '2xx' | '3xx' | '4xx' | '5xx' | 'none' | 'refused' | 'banned'
  /** Calls that were admitted. */
  admitted: number
  /** Calls over the limit. */
  refused: number
  /** Calls with a banned key. */
  banned: number
  /** Admitted calls with a 2xx response. */
  status2xx: number
  /** Admitted calls with a 3xx response. */
  status3xx: number
  /** Admitted calls with a 4xx response. */
  status4xx: number
  /** Admitted calls with a 5xx response. */
  status5xx: number
  lastAt: string | null
}

/** The accounts that still call a deprecated operation. */
export interface DeprecatedUsage {
  /** The deprecated operation. */
  operation: string
  /** When it was deprecated. */
  deprecatedAt: string
  /** When it is removed; from then on, it returns 410. */
  removedAt: string
  /** The first day of the period. */
  from: string
  /** The last day of the period. */
  to: string
  /** How many accounts called it. */
  accounts: number
  /** Their admitted calls. */
  calls: number
  lastAt: string | null
  /** The accounts, most calls first. */
  callers: {
    /** The account. */
    accountId: bigint
    /** Its name. */
    account: string
    /** Its admitted calls. */
    calls: number
    /** The latest of them. */
    lastAt: string
  }[]
}

/** A call with an API key that was answered with an error. */
export interface Refusal {
  /** When it was made. */
  calledAt: string
  /** The key. */
  keyId: bigint
  keyName: string | null
  /** Its method. */
  method: string
  /** Its path and query. What may be a secret is replaced with `(withheld)`, and a long path is cut off, with `…` at its end. */
  path: string
  /** The status of the response. */
  status: number
  /** The `code` of the response. */
  code: string
  /** Where it came from: an IPv4 address, the /64 network of an IPv6 address, or `unknown`. */
  calledFrom: string
  userAgent: string | null
}

/** An action of an operator. */
export interface AuditEntry {
  /** Identifier of the entry; later entries have higher ids. */
  id: bigint
  /** When it was done. */
  at: string
  /** Who did it: the name of a token, or the user of the command line. */
  actor: string
  tokenId: bigint | null
  /** Where it came from: an address, or `command line`. */
  origin: string
  action: AuditAction
  subjectKind: ('account' | 'key' | 'claim-link' | 'ban' | 'pet' | 'category' | 'source' | 'token') | null
  subjectId: bigint | null
  subjectName: string | null
  accountId: bigint | null
  account: string | null
  before: Record<string, string | number | boolean | null> | null
  after: Record<string, string | number | boolean | null> | null
  /** Additional details. */
  details: Record<string, string | number | boolean | null>
  pet: PetOfEntry | null
}

/** What an action did to one of its animals. */
export interface PetOfEntry {
  /** Identifier of the animal. */
  id: bigint
  before: PetEvent['before']
  after: PetEvent['before']
}

/** What undoing an action on animals would do. */
export interface UndoPreview {
  /** How many animals return to their former state: added ones are deleted, deleted ones come back. */
  undone: number
  /** How many animals stay as they are, because they have changed since. */
  kept: number
  /** The first 100 of these, in ascending order of id. */
  changedSince: {
    /** Its id. */
    petId: bigint
    change: {
      /** Identifier of the entry in the audit log. */
      id: bigint
      /** When it was done. */
      at: string
      /** Who did it. */
      actor: string
      action: AuditAction
    } | null
  }[]
  /** What becomes of the labels that an import gave to new categories. */
  labels: {
    /** The category. */
    categoryId: bigint
    /** The label that the action gave it, or took from it. */
    label: string
    /** `used`: it stays, because animals still have the category. `changed`: the category keeps what it has, because that was changed since. */
    outcome: 'removed' | 'returned' | 'used' | 'changed'
  }[]
}

/** What undoing an action on animals has done. */
export interface Undo extends UndoPreview {
  /** Identifier of its own entry in the audit log, which can be undone in turn. */
  entryId: bigint
}

/** An operator token. The token itself is not stored. */
export interface Token {
  /** Identifier of the token. */
  id: bigint
  /** The name of its holder. */
  name: string
  role: Role
  source: string | null
  /** The last characters of the token. */
  hint: string
  /** Only an active token can call. */
  state: 'active' | 'expired' | 'revoked'
  /** When it was created. */
  createdAt: string
  expiresAt: string | null
  revokedAt: string | null
}

/** A newly created operator token. */
export interface IssuedToken extends Token {
  /** The token itself. It is shown only once. */
  token: string
}

/** A link that signs a browser in once, without a token. */
export interface IssuedSignInLink {
  /** Its secret, for `POST /session`; shown only once. The address to open is `/console/sign-in#` and this secret, below the address of this listener. */
  link: string
  /** The token that it signs in with. Revoking that token ends the link, too. */
  tokenId: bigint
  /** When the link expires, at the latest with the token, or with your own. */
  expiresAt: string
}

/** The running program. */
export interface Version {
  /** Version of Petstore. */
  version: string
  commit: string | null
  builtAt: string | null
  /** Version of the public API. */
  api: string
  /** Version of Node.js. */
  node: string
  /** Operating system and processor. */
  platform: string
  /** Which deployment this is. */
  deployment: 'production' | 'staging'
  publicUrl: string | null
  /** When this instance started. */
  startedAt: string
}

/** The health of this instance. */
export interface Health {
  /** The worst state of all parts. */
  state: 'ok' | 'degraded' | 'failing'
  /** How many instances use the store, as far as this one knows. */
  instances: number
  /** The parts. */
  parts: HealthPart[]
}

/** A setting of the service. */
export interface Setting {
  /** The environment variable. */
  name: string
  /** Its topic, such as `HTTPS`. Settings are listed by topic. */
  topic: string
  value: string | null
  default: string | null
  /** Where the value comes from. The file is that of `PETSTORE_ENV_FILE`. */
  source: 'environment' | 'file' | 'default'
  /** What the setting is for. */
  meaning: string
}

/** The results of all checks, and whether they passed. */
export interface Doctor {
  /** True if no check failed. */
  ok: boolean
  /** The results of all checks. */
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
  /** What is wrong; `…` stands for numbers and names that differ between lines. */
  reason: string
  /** The number of lines. A line with several problems is counted for each of them. */
  count: number
  /** The first of these lines. */
  firstLines: number[]
}

/** A word in the column of a member whose meaning is not known. */
export interface UnknownValue {
  /** The member. */
  member: string
  /** The word, as the first line has it. Case and blanks around it do not matter. */
  value: string
  /** The number of lines. */
  count: number
  /** The first of these lines. */
  firstLines: number[]
}

/** A line that cannot be imported. */
export interface BadLine {
  /** The line number, starting at 1. */
  line: number
  /** Why it cannot be imported. */
  reason: string
  /** The invalid members; empty if the line is bad for another reason. */
  problems: {
    /** The member. */
    member: string
    value: string | null
    /** What is wrong with it. */
    reason: string
  }[]
}

/** `feed` can send the file of one source, and nothing else; `staff` can manage animals and read everything; `admin` can do everything. */
export type Role = 'feed' | 'staff' | 'admin'

/** The health of one part. */
export interface HealthPart {
  /** The part, such as `store` or `counting`. */
  part: string
  /** `degraded`: it works, but needs attention; `failing`: it does not work. */
  state: 'ok' | 'degraded' | 'failing'
  /** A description of its state. */
  message: string
  since: string | null
}

/** The result of a check. */
export interface Finding {
  /** What was checked. */
  check: string
  /** `fail`: the service cannot or must not run until this is fixed. */
  outcome: 'ok' | 'warn' | 'fail'
  /** What was found, and what to do about it. */
  message: string
}

/** The operator making the call. */
export interface Operator {
  /** The token of the operator. */
  tokenId: bigint
  /** The name of the token. */
  name: string
  role: Role
}

/** The members that are 64-bit integers. */
export const INT64_MEMBERS: ReadonlySet<string> = new Set(['accountId', 'categoryId', 'entryId', 'firstId', 'id', 'keyId', 'lastId', 'missingIds', 'petId', 'replacedBy', 'subjectId', 'tokenId'])
