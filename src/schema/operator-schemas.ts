import { ACCOUNT_STATES } from '../domain/account.ts'
import { CALL_STATUSES } from '../domain/administration/sum-usage.ts'
import { KEY_SCOPES } from '../domain/api-key.ts'
import { AUDIT_ACTIONS, type AuditValues, SUBJECT_KINDS } from '../domain/audit.ts'
import { BAN_STATES } from '../domain/ban.ts'
import { CLAIM_LINK_STATES } from '../domain/claim-link.ts'
import { DEPLOYMENTS } from '../domain/deployment.ts'
import { MAX_NETWORKS, NETWORK_PATTERN } from '../domain/networks.ts'
import { ROLES } from '../domain/operator.ts'
import { MAX_PETS_CHANGED, PREVIEW_SAMPLE_SIZE } from '../domain/pet-selection.ts'
import { PLANS } from '../domain/plan.ts'
import { SECRET_STATES } from '../domain/secret.ts'
import { LABEL_PATTERN } from '../domain/text-pattern.ts'
import { Pet, PetMembers } from './pet-schemas.ts'
import { type Static, type TObject, type TProperties, type TSchema, Type } from './type.ts'

/**
 * The JSON that operators see: the types of what operator-json.ts makes, and the schemas of the admin API. The tests check every response
 * against them. Ids are bigints, written as exact integers by formatJson; times are ISO 8601 in UTC; absent values are null.
 */

const id = (description: string) => Type.BigInt({ description })
const text = (description: string) => Type.String({ description })
const count = (description: string) => Type.Integer({ description, minimum: 0 })
const time = (description: string) => Type.String({ description, format: 'date-time' })
export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const date = (description: string) => Type.String({ description, format: 'date' })
const object = <Properties extends TProperties>(properties: Properties, description: string): TObject<Properties> =>
  Type.Object(properties, { description, additionalProperties: false })

export const oneOf = <Value extends string>(values: readonly Value[], description: string) =>
  Type.Unsafe<Value>(Type.Enum([...values], { description, rule: `one of ${values.join(', ')}` }))

/** A name that `domain/label.ts` accepts; it refuses a few more names than a schema can express. */
export const Label = (description: string, more: object = {}) =>
  Type.String({ description, minLength: 1, maxLength: 100, pattern: LABEL_PATTERN, ...more })

const HEALTH_STATES = ['ok', 'degraded', 'failing'] as const
const OUTCOMES = ['ok', 'warn', 'fail'] as const

export const PlanName = oneOf(PLANS, 'The plan of the account.')
export const AccountStateName = oneOf(ACCOUNT_STATES, 'A suspended account cannot call.')
export const RoleName = oneOf(ROLES, '`staff` can manage animals and read everything; `admin` can do everything.')
export const AuditActionName = oneOf(AUDIT_ACTIONS, 'What was done.')
export const SubjectKindName = oneOf(SUBJECT_KINDS, 'The kind of object that the action changed.')

export const Problems = Type.Array(
  object(
    { member: text('The name of the member or parameter.'), message: text('What it must be.') },
    'An invalid member of the body, or an invalid parameter of the query.',
  ),
  {
    description: 'Every invalid member or parameter; absent if the request was refused for another reason.',
    minItems: 1,
  },
)

export const KeyScopeName = oneOf(KEY_SCOPES, 'A `read` key cannot add animals.')

/** Networks as `domain/networks.ts` reads them. */
export const Networks = (description: string) =>
  Type.Array(Type.String({ pattern: NETWORK_PATTERN }), { description, minItems: 1, maxItems: MAX_NETWORKS })

const categoryLabel = nullable(text('The label of its category.'))

export type PetJson = Static<typeof PetJson>
export const PetJson = object(
  {
    ...Pet.properties,
    categoryLabel,
    etag: text('The version of the animal, for `If-Match`. A new label does not change it.'),
  },
  'An animal of the catalogue, as operators see it.',
)

export type PetTotalsJson = Static<typeof PetTotalsJson>
export const PetTotalsJson = object(
  {
    total: count('All animals.'),
    available: count('Animals with the status `available`.'),
    pending: count('Animals with the status `pending`.'),
    sold: count('Animals with the status `sold`.'),
  },
  'The number of animals by status.',
)

export type PetPreviewJson = Static<typeof PetPreviewJson>
export const PetPreviewJson = object(
  {
    count: count('How many animals are selected.'),
    version: nullable(
      text(
        `Send it with the change, which is refused if the selected animals are no longer the same. Null if they cannot be changed: more than ${MAX_PETS_CHANGED} are selected, or some of the ids do not exist.`,
      ),
    ),
    sample: Type.Array(PetJson, { description: `The first ${PREVIEW_SAMPLE_SIZE} of them, in ascending order of id.` }),
    missingIds: Type.Array(id('An id.'), { description: 'The given ids that do not exist.' }),
  },
  'The animals that a change to many animals would affect.',
)

export type ChangedPetsJson = Static<typeof ChangedPetsJson>
export const ChangedPetsJson = object(
  { changed: count('How many animals were changed, not counting those that already had the new values.') },
  'The result of a change to many animals.',
)

export type DeletedPetsJson = Static<typeof DeletedPetsJson>
export const DeletedPetsJson = object(
  { deleted: count('How many animals were deleted.') },
  'The result of a deletion of many animals.',
)

/** Numbers are integers of up to 64 bits. */
const values = (description: string) =>
  Type.Unsafe<AuditValues>({
    type: 'object',
    description,
    additionalProperties: { type: ['string', 'integer', 'boolean', 'null'] },
  })

const petState = (description: string) => nullable(object(PetMembers, description))

export type PetEventJson = Static<typeof PetEventJson>
export const PetEventJson = object(
  {
    id: id('Identifier of the entry in the audit log; later entries have higher ids.'),
    at: time('When it was done.'),
    actor: text('Who did it.'),
    tokenId: nullable(id('The operator token that was used; null on the command line.')),
    origin: text('Where it came from: an address, or `command line`.'),
    action: AuditActionName,
    before: petState('The animal before the action. Null if it was created.'),
    after: petState('The animal after the action. Null if it was deleted, and for imports.'),
    details: values('Additional details. Older entries have the values of the animal here.'),
  },
  'An action of an operator on an animal.',
)

export type CategoryJson = Static<typeof CategoryJson>
export const CategoryJson = object(
  { id: id('The `categoryId` of its animals.'), label: text('Its label.') },
  'A category with a label. The public API shows only its id.',
)

export type CategoryUseJson = Static<typeof CategoryUseJson>
export const CategoryUseJson = object(
  {
    id: id('The `categoryId` of its animals.'),
    label: nullable(text('Its label.')),
    animals: count('How many animals are in it.'),
  },
  'A category that has a label or animals.',
)

export type AccountJson = Static<typeof AccountJson>
export const AccountJson = object(
  {
    id: id('Identifier of the account.'),
    name: text('Its unique name.'),
    plan: PlanName,
    perMinute: count('Requests per minute, for all its keys together.'),
    perDay: count('Requests per UTC day, for all its keys together.'),
    state: AccountStateName,
    suspendedAt: nullable(time('When it was suspended.')),
    createdAt: time('When it was created.'),
    deprecatedCalls: count('Calls to the deprecated operation, as far back as usage is kept.'),
    lastDeprecatedCallAt: nullable(time('When it last called the deprecated operation.')),
    etag: text('The version of the account, for `If-Match`. Calls do not change it.'),
  },
  'An account: it owns API keys and has a plan.',
)

const window = (description: string) =>
  object(
    {
      limit: count('Calls allowed, for all keys of the account together.'),
      used: count('Calls counted so far; can exceed the limit after a change to a smaller plan.'),
      remaining: count('Calls left.'),
      resetsAt: nullable(time('When the window ends; null if it has not begun.')),
    },
    description,
  )

export type WindowsJson = Static<typeof WindowsJson>
export const WindowsJson = object(
  {
    at: time('When the windows were read, by the clock that times them.'),
    complete: Type.Boolean({
      description: 'False while calls counted by other instances may be missing, for example during a Redis outage.',
    }),
    minute: window('The minute that begins with the first counted call.'),
    day: window('The UTC day.'),
  },
  'How many calls an account has used and has left.',
)

export type KeyJson = Static<typeof KeyJson>
export const KeyJson = object(
  {
    id: id('Identifier of the key.'),
    accountId: id('The account that owns it.'),
    account: text('The name of that account.'),
    name: nullable(text('The name of the key.')),
    scope: KeyScopeName,
    networks: nullable(Networks('The CIDR ranges that it may call from; null if it may call from anywhere.')),
    hint: text('The last characters of the key.'),
    state: oneOf(SECRET_STATES, 'Only an active key can call.'),
    createdAt: time('When it was issued.'),
    expiresAt: nullable(time('When it expires; null if never.')),
    revokedAt: nullable(time('When it was revoked.')),
    lastUsedAt: nullable(time('When it last called, as far back as usage is kept.')),
    replacedBy: nullable(id('The key that replaced it when it was rotated.')),
    bannedUntil: nullable(
      time('When the last of its bans in force ends; null if there is none. A ban applies to one source.'),
    ),
  },
  'An API key. The key itself is not stored.',
)

export type IssuedKeyJson = Static<typeof IssuedKeyJson>
export const IssuedKeyJson = object(
  { key: text('The key itself. It is shown only once.'), ...KeyJson.properties },
  'A newly issued API key.',
)

export type ClaimLinkJson = Static<typeof ClaimLinkJson>
export const ClaimLinkJson = object(
  {
    id: id('Identifier of the link.'),
    accountId: id('The account that the key is for.'),
    account: text('The name of that account.'),
    name: nullable(text('The name of the key.')),
    scope: KeyScopeName,
    networks: nullable(Networks('The CIDR ranges that the key may call from; null if it may call from anywhere.')),
    keyExpiresAt: nullable(time('When the key expires; null if never.')),
    state: oneOf(CLAIM_LINK_STATES, 'Only an open link can be claimed.'),
    createdAt: time('When the link was created.'),
    expiresAt: time('When the link expires.'),
    claimedAt: nullable(time('When the key was claimed.')),
    claimedFrom: nullable(text('The address that claimed it.')),
    keyId: nullable(id('The key that was claimed.')),
    revokedAt: nullable(time('When the link was revoked.')),
  },
  'A link to a page that issues one API key. The link itself is not stored.',
)

export type IssuedClaimLinkJson = Static<typeof IssuedClaimLinkJson>
export const IssuedClaimLinkJson = object(
  {
    link: Type.String({ description: 'The link itself. It is shown only once.', format: 'uri' }),
    ...ClaimLinkJson.properties,
  },
  'A newly created claim link.',
)

export type BanJson = Static<typeof BanJson>
export const BanJson = object(
  {
    id: id('Identifier of the ban.'),
    keyId: id('The key that is banned.'),
    accountId: id('The account that owns the key.'),
    account: text('The name of that account.'),
    keyName: nullable(text('The name of the key.')),
    source: nullable(
      text(
        'Where calls with the key are banned from: an IPv4 address, the /64 network of an IPv6 address, or `unknown`. Null for a ban by an earlier release, which applies to every address.',
      ),
    ),
    state: oneOf(BAN_STATES, 'A ban in force has neither ended nor been lifted.'),
    startedAt: time('When it began.'),
    endsAt: time('When it ends.'),
    liftedAt: nullable(time('When an operator lifted it.')),
    ordinal: Type.Integer({
      description:
        'Which ban of the source in a row this is (1 = first). Each is twice as long as the one before. A ban earned in an exhausted day ends with that day at the latest, and does not count.',
      minimum: 1,
    }),
  },
  'A temporary ban of one API key for one source.',
)

export type TokenJson = Static<typeof TokenJson>
export const TokenJson = object(
  {
    id: id('Identifier of the token.'),
    name: text('The name of its holder.'),
    role: RoleName,
    hint: text('The last characters of the token.'),
    state: oneOf(SECRET_STATES, 'Only an active token can call.'),
    createdAt: time('When it was created.'),
    expiresAt: nullable(time('When it expires; null if never.')),
    revokedAt: nullable(time('When it was revoked.')),
  },
  'An operator token. The token itself is not stored.',
)

export type IssuedTokenJson = Static<typeof IssuedTokenJson>
export const IssuedTokenJson = object(
  { token: text('The token itself. It is shown only once.'), ...TokenJson.properties },
  'A newly created operator token.',
)

export type OperatorJson = Static<typeof OperatorJson>
export const OperatorJson = object(
  { tokenId: id('The token of the operator.'), name: text('The name of the token.'), role: RoleName },
  'The operator making the call.',
)

export type SessionJson = Static<typeof SessionJson>
export const SessionJson = object(
  {
    operator: OperatorJson,
    expiresAt: nullable(time('When the session, or the token, expires.')),
    csrfToken: nullable(text('Send it as `X-CSRF-Token` with every change. Null without a session.')),
  },
  'The signed-in operator.',
)

export type UsageJson = Static<typeof UsageJson>
export const UsageJson = object(
  {
    day: Type.Optional(date('The UTC day.')),
    hour: Type.Optional(time('The start of the hour.')),
    accountId: Type.Optional(id('The account.')),
    account: Type.Optional(nullable(text('Its name; null if it was deleted.'))),
    keyId: Type.Optional(id('The key.')),
    keyName: Type.Optional(nullable(text('Its name.'))),
    operation: Type.Optional(text('The operation, or `none`.')),
    status: Type.Optional(
      oneOf(
        CALL_STATUSES,
        'How the calls ended: the class of the response, or `none` if there was none. `refused` and `banned` calls were not admitted.',
      ),
    ),
    admitted: count('Calls that were admitted.'),
    refused: count('Calls over the limit.'),
    banned: count('Calls with a banned key.'),
    status2xx: count('Admitted calls with a 2xx response.'),
    status3xx: count('Admitted calls with a 3xx response.'),
    status4xx: count('Admitted calls with a 4xx response.'),
    status5xx: count('Admitted calls with a 5xx response.'),
    lastAt: nullable(time('The latest of these calls; null if there are none, or if they are grouped by status.')),
  },
  'A sum of calls. It has only the members that you group by, and the counts.',
)

export type DeprecatedUsageJson = Static<typeof DeprecatedUsageJson>
export const DeprecatedUsageJson = object(
  {
    operation: text('The deprecated operation.'),
    deprecatedAt: time('When it was deprecated.'),
    removedAt: time('When it is removed; from then on, it returns 410.'),
    from: date('The first day of the period.'),
    to: date('The last day of the period.'),
    accounts: count('How many accounts called it.'),
    calls: count('Their admitted calls.'),
    lastAt: nullable(time('The latest of these calls; null if there are none.')),
    callers: Type.Array(
      object(
        {
          accountId: id('The account.'),
          account: text('Its name.'),
          calls: count('Its admitted calls.'),
          lastAt: time('The latest of them.'),
        },
        'An account that still calls the operation.',
      ),
      { description: 'The accounts, most calls first.' },
    ),
  },
  'The accounts that still call a deprecated operation.',
)

export type AuditEntryJson = Static<typeof AuditEntryJson>
export const AuditEntryJson = object(
  {
    id: id('Identifier of the entry; later entries have higher ids.'),
    at: time('When it was done.'),
    actor: text('Who did it: the name of a token, or the user of the command line.'),
    tokenId: nullable(id('The token of the operator; null for the command line and for refused sign-ins.')),
    origin: text('Where it came from: an address, or `command line`.'),
    action: AuditActionName,
    subjectKind: nullable(SubjectKindName),
    subjectId: nullable(id('The id of the object that the action changed.')),
    accountId: nullable(id('The account concerned.')),
    before: nullable(values('The values before the action. Null if there were none.')),
    after: nullable(values('The values after the action. Null if there are none.')),
    details: values('Additional details.'),
  },
  'An action of an operator.',
)

export type VersionsJson = Static<typeof VersionsJson>
export const VersionsJson = object(
  {
    version: text('Version of Petstore.'),
    api: text('Version of the public API.'),
    node: text('Version of Node.js.'),
    platform: text('Operating system and processor.'),
  },
  'The versions of the program.',
)

export type RunningVersionJson = Static<typeof RunningVersionJson>
export const RunningVersionJson = object(
  {
    ...VersionsJson.properties,
    deployment: oneOf(DEPLOYMENTS, 'Which deployment this is.'),
    publicUrl: nullable(text('Base address of the public API; null until it can be called.')),
    startedAt: time('When this instance started.'),
  },
  'The running program.',
)

export type HealthPart = Static<typeof HealthPart>
export const HealthPart = object(
  {
    part: text('The part, such as `store` or `counting`.'),
    state: oneOf(HEALTH_STATES, '`degraded`: it works, but needs attention; `failing`: it does not work.'),
    message: text('A description of its state.'),
    since: nullable(time('When it became degraded; null if it is not degraded, or if the time is unknown.')),
  },
  'The health of one part.',
)

export type HealthJson = Static<typeof HealthJson>
export const HealthJson = object(
  {
    state: oneOf(HEALTH_STATES, 'The worst state of all parts.'),
    instances: Type.Integer({
      description: 'How many instances use the store, as far as this one knows.',
      minimum: 1,
    }),
    parts: Type.Array(HealthPart, { description: 'The parts.' }),
  },
  'The health of this instance.',
)

export type SettingJson = Static<typeof SettingJson>
export const SettingJson = object(
  {
    name: text('The environment variable.'),
    topic: text('Its topic, such as `HTTPS`. Settings are listed by topic.'),
    value: nullable(text('Its value, without user names and passwords; null if there is none.')),
    default: nullable(text('The value if the variable is not set; null if there is none.')),
    source: oneOf(['environment', 'default'], 'Where the value comes from.'),
    meaning: text('What the setting is for.'),
  },
  'A setting of the service.',
)

export type Finding = Static<typeof Finding>
export const Finding = object(
  {
    check: text('What was checked.'),
    outcome: oneOf(OUTCOMES, '`fail`: the service cannot or must not run until this is fixed.'),
    message: text('What was found, and what to do about it.'),
  },
  'The result of a check.',
)

export type DoctorJson = Static<typeof DoctorJson>
export const DoctorJson = object(
  {
    ok: Type.Boolean({ description: 'True if no check failed.' }),
    findings: Type.Array(Finding, { description: 'The results of all checks.' }),
  },
  'The results of all checks, and whether they passed.',
)
