import { type Static, type TProperties, Type } from 'typebox'
import { DEFAULT_OVERLAP_SECONDS, MAX_OVERLAP_SECONDS } from '../domain/administration/keys.ts'
import { MAX_LIMIT, PLANS, type Plan } from '../domain/plan.ts'
import { BLANK } from '../domain/text-pattern.ts'
import { USAGE_DIMENSIONS } from '../domain/usage.ts'
import { Refusal } from '../http/refusal.ts'
import { MAX_PAGE_SIZE } from '../schema/limits.ts'
import { AuditActionName, Label, oneOf, PlanName } from '../schema/operator-schemas.ts'
import { NewPet, PetStatus } from '../schema/pet-schemas.ts'

/** The queries and bodies of the admin API. `rule` completes the sentence "<name> must be …". */

const limit = Type.Integer({
  description: 'Maximum number of items returned.',
  minimum: 1,
  maximum: MAX_PAGE_SIZE,
  default: 50,
  rule: `an integer from 1 to ${MAX_PAGE_SIZE}`,
})
const idRule = { rule: 'an id from the previous page' }
const after = Type.BigInt({ description: 'Returns only items with a higher id.', default: 0n, ...idRule })
const before = Type.Optional(Type.BigInt({ description: 'Returns only items with a lower id.', ...idRule }))
const account = Type.Optional(
  Type.String({ description: 'Only this account: its id or its name.', minLength: 1, rule: 'an id or a name' }),
)

/** A list in ascending order of id. */
export const OldestFirst = Type.Object({ after, limit })

export const NewestFirst = Type.Object({ before, limit })

export const PetSearch = Type.Object({
  name: Type.Optional(
    Type.String({ description: 'Part of the name, in upper or lower case.', minLength: 1, rule: 'part of a name' }),
  ),
  status: Type.Optional(PetStatus),
  categoryId: Type.Optional(NewPet.properties.categoryId),
  id: Type.Optional(Type.BigInt({ description: 'Only the animal with this id.', rule: 'an id' })),
  after,
  limit,
})

export const PetToAdd = Type.Object(NewPet.properties, { description: 'An animal to add.' })

export const PetChange = Type.Object(
  {
    name: Type.Optional(NewPet.properties.name),
    categoryId: Type.Optional(NewPet.properties.categoryId),
    status: Type.Optional(PetStatus),
  },
  { description: 'The members to change; the others stay as they are.' },
)

/** The domain refuses more than a schema can check: the document shows `described`. */
const accountName = Type.String({
  rule: 'a string',
  described: Label('1 to 100 characters, not a number, and unique.', {
    not: { pattern: `^[${BLANK}]*([0-9]+|-[1-9][0-9]*)[${BLANK}]*$` },
  }),
})

export const AccountName = Type.Object({ name: accountName })

export const PlanChoice = choosingPlan({})

export const NewAccount = choosingPlan({ name: accountName })

/** A body that chooses a plan: only enterprise has limits of its own, and needs both. */
function choosingPlan<Members extends TProperties>(members: Members) {
  const plan = (names: readonly Plan[]) => oneOf(names, 'The plan of the account.')
  const limitPer = (period: string) =>
    Type.Integer({ description: `Requests per ${period}.`, minimum: 1, maximum: MAX_LIMIT })
  const optionalLimit = Type.Optional(Type.Integer({ rule: `an integer from 1 to ${MAX_LIMIT}` }))
  const closed = { additionalProperties: false }
  const fixed = { ...members, plan: plan(PLANS.filter(name => name !== 'enterprise')) }
  const own = { ...members, plan: plan(['enterprise']), perMinute: limitPer('minute'), perDay: limitPer('day') }
  return Type.Object(
    { ...members, plan: PlanName, perMinute: optionalLimit, perDay: optionalLimit },
    { described: { oneOf: [Type.Object(fixed, closed), Type.Object(own, closed)] } },
  )
}

export const KeySearch = Type.Object({ account, after, limit })

const INSTANT = 'a date and time with a time zone, such as 2030-12-31T18:00:00Z'

export const NewKey = Type.Object({
  name: Type.Optional(Type.String({ rule: 'a string', described: Label('The name of the key: 1 to 100 characters.') })),
  expiresAt: Type.Optional(
    Type.String({
      description: 'When the key expires. If left out, it never does.',
      format: 'date-time',
      // RFC 3339 as all tools check it: no name of a time zone in brackets, and at most nine decimals.
      pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})$',
      rule: INSTANT,
    }),
  ),
})

/**
 * Returns Unix milliseconds.
 * @throws Refusal invalid_body for a day or a time that does not exist
 */
export function parseExpiresAt({ expiresAt }: Static<typeof NewKey>): number | undefined {
  try {
    return expiresAt === undefined ? undefined : Temporal.Instant.from(expiresAt).epochMilliseconds
  } catch {
    throw new Refusal('invalid_body', `expiresAt must be ${INSTANT}.`)
  }
}

export const KeyRotation = Type.Object({
  overlapSeconds: Type.Integer({
    description: `How long both keys work, in seconds. If left out, ${DEFAULT_OVERLAP_SECONDS}.`,
    minimum: 0,
    maximum: MAX_OVERLAP_SECONDS,
    default: DEFAULT_OVERLAP_SECONDS,
    rule: `an integer from 0 to ${MAX_OVERLAP_SECONDS}`,
  }),
})

/** parseUsageDays reads it. */
const day = (description: string) =>
  Type.Optional(Type.String({ description, format: 'date', rule: 'a UTC day such as 2030-12-31' }))

export const UsageSearch = Type.Object({
  account,
  operation: Type.Optional(Type.String({ description: 'Only this operation.', minLength: 1, rule: 'an operation' })),
  from: day('The first day.'),
  to: day('The last day.'),
  by: Type.Optional(
    Type.String({
      description: `What to group by: one or more of ${USAGE_DIMENSIONS.join(', ')}, each once, separated by commas. Default: \`account\`, or \`day\` if an account is given.`,
      pattern: `^(${eachOnce(USAGE_DIMENSIONS)})$`,
      rule: `one or more of ${USAGE_DIMENSIONS.join(', ')}, separated by commas`,
    }),
  ),
})

/** The pattern of lists without repetition, in any order. It spells out every order: not all tools know lookaround. */
function eachOnce(words: readonly string[]): string {
  const lists = words.map(word => {
    const others = words.filter(other => other !== word)
    return others.length === 0 ? word : `${word}(,(${eachOnce(others)}))?`
  })
  return lists.join('|')
}

export const AuditSearch = Type.Object({ account, action: Type.Optional(AuditActionName), before, limit })

export const SignIn = Type.Object({
  token: Type.String({
    description: 'An operator token. The one in the example is a placeholder.',
    rule: 'an operator token',
  }),
})
