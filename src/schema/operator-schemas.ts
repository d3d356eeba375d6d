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
import { NewPet, Pet } from './pet-schemas.ts'
import { type Static, type TObject, type TProperties, type TSchema, Type } from './type.ts'

/**
 * The JSON that operators see: the types of what operator-json.ts makes, and the schemas of the admin API. The tests check every response
 * against them. Ids are bigints, written as exact integers by formatJson; times are ISO 8601 in UTC; what is absent is null.
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

/** A name as `domain/label.ts` reads it; that refuses a little more, which no schema can express. */
export const Label = (description: string, more: object = {}) =>
  Type.String({ description, minLength: 1, maxLength: 100, pattern: LABEL_PATTERN, ...more })

const HEALTH_STATES = ['ok', 'degraded', 'failing'] as const

export const PlanName = oneOf(PLANS, 'The plan of the account.')
export const AccountStateName = oneOf(ACCOUNT_STATES, 'A suspended account cannot call.')
export const RoleName = oneOf(ROLES, '`staff` can manage animals and read everything; `admin` can do everything.')
export const AuditActionName = oneOf(AUDIT_ACTIONS, 'What was done.')
export const SubjectKindName = oneOf(SUBJECT_KINDS, 'The kind of thing that it was done to.')

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

const categoryLabel = nullable(text('What operators call its category.'))

export type PetJson = Static<typeof PetJson>
export const PetJson = object(
  {
    ...Pet.properties,
    categoryLabel,
    etag: text('The version of the animal, for `If-Match`. The label does not matter to it.'),
  },
  'An animal of the catalogue, as operators see it.',
)

export type PetTotalsJson = Static<typeof PetTotalsJson>
export const PetTotalsJson = object(
  {
    total: count('All of them.'),
    available: count('Those with the status `available`.'),
    pending: count('Those with the status `pending`.'),
    sold: count('Those with the status `sold`.'),
  },
  'Numbers of animals.',
)

export type PetPreviewJson = Static<typeof PetPreviewJson>
export const PetPreviewJson = object(
  {
    count: count('How many animals are selected.'),
    version: nullable(
      text(
        `Send it with the change, which is refused if the selected animals are no longer the same. Null if they cannot be changed: there are more than ${MAX_PETS_CHANGED}, or some of the ids belong to no animal.`,
      ),
    ),
    sample: Type.Array(PetJson, { description: `The first ${PREVIEW_SAMPLE_SIZE} of them, by ascending id.` }),
    missingIds: Type.Array(id('An id.'), { description: 'The given ids that belong to no animal.' }),
  },
  'The animals that a change of many animals would touch.',
)

export type ChangedPetsJson = Static<typeof ChangedPetsJson>
export const ChangedPetsJson = object(
  { changed: count('Animals that were changed; those that were already as they should be do not count.') },
  'What a change of many animals did.',
)

export type DeletedPetsJson = Static<typeof DeletedPetsJson>
export const DeletedPetsJson = object(
  { deleted: count('Animals that were deleted.') },
  'What a deletion of many animals did.',
)

/** A number is an integer, of up to 64 bits. */
const values = (description: string) =>
  Type.Unsafe<AuditValues>({
    type: 'object',
    description,
    additionalProperties: { type: ['string', 'integer', 'boolean', 'null'] },
  })

const petState = (description: string) =>
  nullable(
    object(
      {
        name: NewPet.properties.name,
        categoryId: NewPet.properties.categoryId,
        status: Pet.properties.status,
      },
      description,
    ),
  )

export type PetEventJson = Static<typeof PetEventJson>
export const PetEventJson = object(
  {
    id: id('Identifier of the entry in the audit log; later entries have higher ones.'),
    at: time('When it was done.'),
    actor: text('Who did it.'),
    tokenId: nullable(id('The operator token that was used; null on the command line.')),
    origin: text('Where from: an address, or `command line`.'),
    action: AuditActionName,
    before: petState('What the animal was like before. Null if it was created.'),
    after: petState('What it has been like since. Null if it was deleted, and for an import.'),
    details: values('Further facts. An older entry has the values of the animal here.'),
  },
  'Something that an operator did to an animal.',
)

export type CategoryJson = Static<typeof CategoryJson>
export const CategoryJson = object(
  { id: id('The `categoryId` of its animals.'), label: text('What operators call it.') },
  'A category with a label. The public API shows only its id.',
)

export type CategoryUseJson = Static<typeof CategoryUseJson>
export const CategoryUseJson = object(
  {
    id: id('The `categoryId` of its animals.'),
    label: nullable(text('What operators call it.')),
    animals: count('How many animals are in it.'),
  },
  'A category that has a label or animals.',
)

export type AccountJson = Static<typeof AccountJson>
export const AccountJson = object(
  {
    id: id('Identifier of the account.'),
    name: text('Its name, which is unique.'),
    plan: PlanName,
    perMinute: count('Requests per minute of all its keys together.'),
    perDay: count('Requests per UTC day of all its keys together.'),
    state: AccountStateName,
    suspendedAt: nullable(time('When it was suspended.')),
    createdAt: time('When it was created.'),
    deprecatedCalls: count('Calls of the deprecated operation, as far back as usage is kept.'),
    lastDeprecatedCallAt: nullable(time('When it last called the deprecated operation.')),
    etag: text('The version of the account, for `If-Match`. Calls do not change it.'),
  },
  'An account: it owns API keys and has a plan.',
)

const window = (description: string) =>
  object(
    {
      limit: count('Calls that all keys of the account may make together.'),
      used: count('Calls counted so far; more than the limit if the plan was changed to a smaller one.'),
      remaining: count('Calls that are left.'),
      resetsAt: nullable(time('When the window ends; null: it has not begun.')),
    },
    description,
  )

export type WindowsJson = Static<typeof WindowsJson>
export const WindowsJson = object(
  {
    at: time('When the windows were read, by the clock that sets them.'),
    complete: Type.Boolean({
      description: 'False while calls may be missing that other instances have counted, as in an outage of Redis.',
    }),
    minute: window('The minute that begins with the first counted call.'),
    day: window('The UTC day.'),
  },
  'What an account has used of its limits, and what remains.',
)

export type KeyJson = Static<typeof KeyJson>
export const KeyJson = object(
  {
    id: id('Identifier of the key.'),
    accountId: id('The account that owns it.'),
    account: text('The name of that account.'),
    name: nullable(text('The name of the key.')),
    scope: KeyScopeName,
    networks: nullable(Networks('The CIDR ranges from which it may call; null: from anywhere.')),
    hint: text('The last characters of the key.'),
    state: oneOf(SECRET_STATES, 'Only an active key can call.'),
    createdAt: time('When it was issued.'),
    expiresAt: nullable(time('When it expires; null: never.')),
    revokedAt: nullable(time('When it was revoked.')),
    lastUsedAt: nullable(time('When it last called, as far back as usage is kept.')),
    replacedBy: nullable(id('The key that it was rotated to.')),
    bannedUntil: nullable(time('When its ban ends; null: it is not banned.')),
  },
  'An API key. The key itself is not stored.',
)

export type IssuedKeyJson = Static<typeof IssuedKeyJson>
export const IssuedKeyJson = object(
  { key: text('The key itself. It is shown only once.'), ...KeyJson.properties },
  'An API key that was just issued.',
)

export type ClaimLinkJson = Static<typeof ClaimLinkJson>
export const ClaimLinkJson = object(
  {
    id: id('Identifier of the link.'),
    accountId: id('The account that the key is for.'),
    account: text('The name of that account.'),
    name: nullable(text('The name of the key.')),
    scope: KeyScopeName,
    networks: nullable(Networks('The CIDR ranges from which the key may call; null: from anywhere.')),
    keyExpiresAt: nullable(time('When the key expires; null: never.')),
    state: oneOf(CLAIM_LINK_STATES, 'Only an open link can be claimed.'),
    createdAt: time('When the link was created.'),
    expiresAt: time('When the link expires.'),
    claimedAt: nullable(time('When the key was claimed.')),
    claimedFrom: nullable(text('The address that claimed it.')),
    keyId: nullable(id('The key that was claimed.')),
    revokedAt: nullable(time('When the link was revoked.')),
  },
  'A link to a page that issues an API key, once. The link itself is not stored.',
)

export type IssuedClaimLinkJson = Static<typeof IssuedClaimLinkJson>
export const IssuedClaimLinkJson = object(
  {
    link: Type.String({ description: 'The link itself. It is shown only once.', format: 'uri' }),
    ...ClaimLinkJson.properties,
  },
  'A claim link that was just created.',
)

export type BanJson = Static<typeof BanJson>
export const BanJson = object(
  {
    id: id('Identifier of the ban.'),
    keyId: id('The key that is banned.'),
    accountId: id('The account that owns the key.'),
    account: text('The name of that account.'),
    keyName: nullable(text('The name of the key.')),
    state: oneOf(BAN_STATES, 'A ban in force has neither ended nor been lifted.'),
    startedAt: time('When it began.'),
    endsAt: time('When it ends.'),
    liftedAt: nullable(time('When an operator lifted it.')),
    ordinal: Type.Integer({
      description: 'Which ban in a row this is (1 = first). Each is twice as long as the one before.',
      minimum: 1,
    }),
  },
  'A temporary ban of one API key.',
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
    expiresAt: nullable(time('When it expires; null: never.')),
    revokedAt: nullable(time('When it was revoked.')),
  },
  'An operator token. The token itself is not stored.',
)

export type IssuedTokenJson = Static<typeof IssuedTokenJson>
export const IssuedTokenJson = object(
  { token: text('The token itself. It is shown only once.'), ...TokenJson.properties },
  'An operator token that was just created.',
)

export type OperatorJson = Static<typeof OperatorJson>
export const OperatorJson = object(
  { tokenId: id('The token of the operator.'), name: text('The name of the token.'), role: RoleName },
  'The operator who calls.',
)

export type SessionJson = Static<typeof SessionJson>
export const SessionJson = object(
  {
    operator: OperatorJson,
    expiresAt: nullable(time('When the session, or the token, expires.')),
    csrfToken: nullable(text('Send it as `X-CSRF-Token` with every change. Null without a session.')),
  },
  'The operator who is signed in.',
)

export type UsageJson = Static<typeof UsageJson>
export const UsageJson = object(
  {
    day: Type.Optional(date('The UTC day.')),
    hour: Type.Optional(time('The beginning of the hour.')),
    accountId: Type.Optional(id('The account.')),
    account: Type.Optional(nullable(text('Its name; null if it was deleted.'))),
    keyId: Type.Optional(id('The key.')),
    keyName: Type.Optional(nullable(text('Its name.'))),
    operation: Type.Optional(text('The operation, or `none`.')),
    status: Type.Optional(
      oneOf(
        CALL_STATUSES,
        'How the calls ended: with a response of that class, or `none`; `refused` and `banned` ones were not admitted.',
      ),
    ),
    admitted: count('Calls that were admitted.'),
    refused: count('Calls over the limit.'),
    banned: count('Calls with a banned key.'),
    status2xx: count('Admitted calls with a 2xx response.'),
    status3xx: count('Admitted calls with a 3xx response.'),
    status4xx: count('Admitted calls with a 4xx response.'),
    status5xx: count('Admitted calls with a 5xx response.'),
    lastAt: nullable(time('The latest of these calls; null if there are none, and if they are grouped by status.')),
  },
  'A sum of calls, with the members that it is grouped by.',
)

export type DeprecatedUsageJson = Static<typeof DeprecatedUsageJson>
export const DeprecatedUsageJson = object(
  {
    operation: text('The deprecated operation.'),
    deprecatedAt: time('Since when it is deprecated.'),
    removedAt: time('When it is removed: from then on it answers 410.'),
    from: date('The first day of the calls.'),
    to: date('Their last day.'),
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
      { description: 'The accounts, those with the most calls first.' },
    ),
  },
  'Who still calls a deprecated operation.',
)

export type AuditEntryJson = Static<typeof AuditEntryJson>
export const AuditEntryJson = object(
  {
    id: id('Identifier of the entry; later entries have higher ones.'),
    at: time('When it was done.'),
    actor: text('Who did it: the name of a token, or the user of the command line.'),
    tokenId: nullable(id('The token of the operator; null for the command line and for refused sign-ins.')),
    origin: text('Where from: an address, or `command line`.'),
    action: AuditActionName,
    subjectKind: nullable(SubjectKindName),
    subjectId: nullable(id('What it was done to.')),
    accountId: nullable(id('The account that it concerns.')),
    before: nullable(values('The values that were changed or deleted. Null if there were none.')),
    after: nullable(values('The values that they were changed to, or created with. Null if there are none.')),
    details: values('Further facts.'),
  },
  'Something that an operator did.',
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
  'The program that runs.',
)

export type HealthPart = Static<typeof HealthPart>
export const HealthPart = object(
  {
    part: text('What it is about, such as `store` or `counting`.'),
    state: oneOf(HEALTH_STATES, '`degraded`: it works, but needs attention; `failing`: it does not work.'),
    message: text('What is the matter.'),
    since: nullable(time('Since when it has been degraded; null if it is not, or if that is unknown.')),
  },
  'The health of one part.',
)

export type HealthJson = Static<typeof HealthJson>
export const HealthJson = object(
  {
    state: oneOf(HEALTH_STATES, 'The worst state of all parts.'),
    instances: Type.Integer({
      description: 'How many instances run on the store, as far as this one knows.',
      minimum: 1,
    }),
    parts: Type.Array(HealthPart, { description: 'The parts.' }),
  },
  'How this instance is doing.',
)

export type SettingJson = Static<typeof SettingJson>
export const SettingJson = object(
  {
    name: text('The environment variable.'),
    topic: text('What it is about, such as `HTTPS`. Settings of a topic follow each other.'),
    value: nullable(text('Its value, without user names and passwords; null if there is none.')),
    default: nullable(text('The value of an unset variable; null if there is none.')),
    source: oneOf(['environment', 'default'], 'Where the value comes from.'),
    meaning: text('What the setting is for.'),
  },
  'A setting of the service.',
)

export type Finding = Static<typeof Finding>
export const Finding = object(
  {
    check: text('What was checked.'),
    outcome: oneOf(['ok', 'warn', 'fail'], '`fail`: the service cannot work, or must not, until this is fixed.'),
    message: text('What was found, and what to do about it.'),
  },
  'The result of a check.',
)

export type DoctorJson = Static<typeof DoctorJson>
export const DoctorJson = object(
  {
    ok: Type.Boolean({ description: 'Whether no check failed.' }),
    findings: Type.Array(Finding, { description: 'The results of all checks.' }),
  },
  'The results of an examination.',
)
