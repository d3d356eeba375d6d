import { type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { AUDIT_ACTIONS } from '../domain/audit.ts'
import { ROLES } from '../domain/operator.ts'
import { PLANS } from '../domain/plan.ts'
import { LABEL_PATTERN } from '../domain/text-pattern.ts'

/** The shapes of what the admin API answers, which src/views.ts makes; the tests hold every answer against them. */

const id = (description: string) => Type.BigInt({ description })
const text = (description: string) => Type.String({ description })
const count = (description: string) => Type.Integer({ description, minimum: 0 })
const time = (description: string) => Type.String({ description, format: 'date-time' })
const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
export const oneOf = <Value extends string>(values: readonly Value[], description: string) =>
  Type.Unsafe<Value>(Type.Enum([...values], { description, rule: `one of ${values.join(', ')}` }))
const shape = <Properties extends TProperties>(properties: Properties, description: string): TObject<Properties> =>
  Type.Object(properties, { description, additionalProperties: false })

/** What operators call a thing, as `domain/label.ts` takes it; what it refuses besides, no schema can say. */
export const Label = (description: string, more: object = {}) =>
  Type.String({ description, minLength: 1, maxLength: 100, pattern: LABEL_PATTERN, ...more })

export const PlanName = oneOf(PLANS, 'The plan of an account.')
export const RoleName = oneOf(ROLES, '`staff` may work with animals and read; `admin` may do all.')
export const AuditActionName = oneOf(AUDIT_ACTIONS, 'What was done.')

export const AccountShape = shape(
  {
    id: id('Identifier of the account.'),
    name: text('Its name; no other account has it.'),
    plan: PlanName,
    perMinute: count('Requests per minute of all its keys together.'),
    perDay: count('Requests per UTC day of all its keys together.'),
    state: oneOf(['active', 'suspended'], 'Whether its keys are let in.'),
    suspendedAt: nullable(time('Since when it is suspended.')),
    createdAt: time('When it was created.'),
    deprecatedCalls: count('How often it called the deprecated operation, as far back as usage is kept.'),
    lastDeprecatedCallAt: nullable(time('When it last did.')),
  },
  'An account: who calls, and how often it may.',
)

export const KeyShape = shape(
  {
    id: id('Identifier of the key.'),
    accountId: id('The account that it belongs to.'),
    account: text('The name of that account.'),
    name: nullable(text('What the key is called.')),
    hint: text('The last characters of the key.'),
    state: oneOf(['active', 'expired', 'revoked'], 'Whether it is let in, as far as it depends on the key.'),
    createdAt: time('When it was issued.'),
    expiresAt: nullable(time('From when on it does not work; null: never.')),
    revokedAt: nullable(time('When it was revoked.')),
    lastUsedAt: nullable(time('When it last called, as far back as usage is kept.')),
    replacedBy: nullable(id('The key that it was rotated to.')),
  },
  'An API key. The key itself is not stored.',
)

export const IssuedKeyShape = shape(
  { key: text('The key itself: it is shown this once.'), ...KeyShape.properties },
  'An API key as it is issued.',
)

export const BanShape = shape(
  {
    id: id('Identifier of the ban.'),
    keyId: id('The key that is banned.'),
    accountId: id('The account that the key belongs to.'),
    account: text('The name of that account.'),
    keyName: nullable(text('What the key is called.')),
    startedAt: time('When it began.'),
    endsAt: time('When it ends.'),
    liftedAt: nullable(time('When an operator ended it.')),
    ordinal: Type.Integer({ description: 'The how manieth in a row: each lasts twice as long.', minimum: 1 }),
  },
  'A temporary ban of one API key.',
)

export const OperatorShape = shape(
  { tokenId: id('The token that was used.'), name: text('Whose it is.'), role: RoleName },
  'Who calls.',
)

export const SessionShape = shape(
  {
    operator: OperatorShape,
    expiresAt: nullable(time('When the session, or the token, ends.')),
    csrfToken: nullable(text('To be sent as `X-CSRF-Token` with every change; null without a session.')),
  },
  'Who is signed in.',
)

const COUNTS = {
  admitted: count('Calls that were let in.'),
  refused: count('Calls over the limit.'),
  banned: count('Calls with a banned key.'),
  status2xx: count('Admitted calls answered 2xx.'),
  status3xx: count('Admitted calls answered 3xx.'),
  status4xx: count('Admitted calls answered 4xx.'),
  status5xx: count('Admitted calls answered 5xx.'),
}

export const UsageShape = shape(
  {
    day: Type.Optional(Type.String({ description: 'The UTC day.', format: 'date' })),
    accountId: Type.Optional(id('The account.')),
    account: Type.Optional(nullable(text('Its name; null if it has been deleted.'))),
    keyId: Type.Optional(id('The key.')),
    keyName: Type.Optional(nullable(text('What it is called.'))),
    operation: Type.Optional(text('The operation, or `none`.')),
    ...COUNTS,
    lastAt: time('The newest of these calls.'),
  },
  'Calls added up; what they are added up by stands in the members.',
)

export const AuditShape = shape(
  {
    id: id('Rises with every entry.'),
    at: time('When.'),
    actor: text('Who.'),
    origin: text('From where: an address, or `command line`.'),
    action: AuditActionName,
    subjectId: nullable(id('What was acted on; of what kind it is, the first word of the action says.')),
    accountId: nullable(id('The account that it concerns.')),
    details: Type.Record(Type.String(), Type.String(), { description: 'What else matters, in words.' }),
  },
  'What an operator did.',
)
