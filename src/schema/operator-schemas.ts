import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { ACCOUNT_STATES } from '../domain/account.ts'
import { AUDIT_ACTIONS } from '../domain/audit.ts'
import { ROLES } from '../domain/operator.ts'
import { PLANS } from '../domain/plan.ts'
import { SECRET_STATES } from '../domain/secret.ts'
import { LABEL_PATTERN } from '../domain/text-pattern.ts'

/**
 * The JSON that operators see: the types of what operator-json.ts makes, and the schemas of the admin API. The tests check every response
 * against them. Ids are bigints, written as exact integers by formatJson; times are ISO 8601 in UTC; what is absent is null.
 */

const id = (description: string) => Type.BigInt({ description })
const text = (description: string) => Type.String({ description })
const count = (description: string) => Type.Integer({ description, minimum: 0 })
const time = (description: string) => Type.String({ description, format: 'date-time' })
const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const object = <Properties extends TProperties>(properties: Properties, description: string): TObject<Properties> =>
  Type.Object(properties, { description, additionalProperties: false })

export const oneOf = <Value extends string>(values: readonly Value[], description: string) =>
  Type.Unsafe<Value>(Type.Enum([...values], { description, rule: `one of ${values.join(', ')}` }))

/** A name as `domain/label.ts` reads it; that refuses a little more, which no schema can express. */
export const Label = (description: string, more: object = {}) =>
  Type.String({ description, minLength: 1, maxLength: 100, pattern: LABEL_PATTERN, ...more })

export const PlanName = oneOf(PLANS, 'The plan of the account.')
export const RoleName = oneOf(ROLES, '`staff` can manage animals and read everything; `admin` can do everything.')
export const AuditActionName = oneOf(AUDIT_ACTIONS, 'What was done.')

export type AccountJson = Static<typeof AccountJson>
export const AccountJson = object(
  {
    id: id('Identifier of the account.'),
    name: text('Its name, which is unique.'),
    plan: PlanName,
    perMinute: count('Requests per minute of all its keys together.'),
    perDay: count('Requests per UTC day of all its keys together.'),
    state: oneOf(ACCOUNT_STATES, 'A suspended account cannot call.'),
    suspendedAt: nullable(time('When it was suspended.')),
    createdAt: time('When it was created.'),
    deprecatedCalls: count('Calls of the deprecated operation, as far back as usage is kept.'),
    lastDeprecatedCallAt: nullable(time('When it last called the deprecated operation.')),
  },
  'An account: it owns API keys and has a plan.',
)

export type KeyJson = Static<typeof KeyJson>
export const KeyJson = object(
  {
    id: id('Identifier of the key.'),
    accountId: id('The account that owns it.'),
    account: text('The name of that account.'),
    name: nullable(text('The name of the key.')),
    hint: text('The last characters of the key.'),
    state: oneOf(SECRET_STATES, 'Only an active key can call.'),
    createdAt: time('When it was issued.'),
    expiresAt: nullable(time('When it expires; null: never.')),
    revokedAt: nullable(time('When it was revoked.')),
    lastUsedAt: nullable(time('When it last called, as far back as usage is kept.')),
    replacedBy: nullable(id('The key that it was rotated to.')),
  },
  'An API key. The key itself is not stored.',
)

export type IssuedKeyJson = Static<typeof IssuedKeyJson>
export const IssuedKeyJson = object(
  { key: text('The key itself. It is shown only once.'), ...KeyJson.properties },
  'An API key that was just issued.',
)

export type BanJson = Static<typeof BanJson>
export const BanJson = object(
  {
    id: id('Identifier of the ban.'),
    keyId: id('The key that is banned.'),
    accountId: id('The account that owns the key.'),
    account: text('The name of that account.'),
    keyName: nullable(text('The name of the key.')),
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
    day: Type.Optional(Type.String({ description: 'The UTC day.', format: 'date' })),
    accountId: Type.Optional(id('The account.')),
    account: Type.Optional(nullable(text('Its name; null if it was deleted.'))),
    keyId: Type.Optional(id('The key.')),
    keyName: Type.Optional(nullable(text('Its name.'))),
    operation: Type.Optional(text('The operation, or `none`.')),
    admitted: count('Calls that were admitted.'),
    refused: count('Calls over the limit.'),
    banned: count('Calls with a banned key.'),
    status2xx: count('Admitted calls with a 2xx response.'),
    status3xx: count('Admitted calls with a 3xx response.'),
    status4xx: count('Admitted calls with a 4xx response.'),
    status5xx: count('Admitted calls with a 5xx response.'),
    lastAt: time('The latest of these calls.'),
  },
  'A sum of calls, with the members that it is grouped by.',
)

export type AuditEntryJson = Static<typeof AuditEntryJson>
export const AuditEntryJson = object(
  {
    id: id('Identifier of the entry; later entries have higher ones.'),
    at: time('When it was done.'),
    actor: text('Who did it.'),
    origin: text('Where from: an address, or `command line`.'),
    action: AuditActionName,
    subjectId: nullable(id('What it was done to; the first word of the action says what kind of thing that is.')),
    accountId: nullable(id('The account that it concerns.')),
    details: Type.Record(Type.String(), Type.String(), { description: 'Further details.' }),
  },
  'Something that an operator did.',
)
