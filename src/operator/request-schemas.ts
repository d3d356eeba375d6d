import { parseAccountName } from '../domain/account.ts'
import { DEFAULT_OVERLAP_SECONDS, MAX_OVERLAP_SECONDS } from '../domain/administration/keys.ts'
import { USAGE_GROUPS } from '../domain/administration/sum-usage.ts'
import { DEFAULT_USAGE_HOURS, MAX_USAGE_HOURS } from '../domain/administration/usage.ts'
import { KEY_STATES } from '../domain/api-key.ts'
import { AUDIT_ACTIONS, AUDIT_KINDS, SUBJECT_KINDS } from '../domain/audit.ts'
import { CLAIM_LINK_STATES, MAX_CLAIM_LINK_SECONDS, MIN_CLAIM_LINK_SECONDS } from '../domain/claim-link.ts'
import { UserError } from '../domain/errors.ts'
import { SEARCHABLE_PATTERN } from '../domain/fold.ts'
import { parseLabel } from '../domain/label.ts'
import { parseNetworks } from '../domain/networks.ts'
import { MEMBER_NAMES, PET_STATUSES } from '../domain/pet.ts'
import { MAX_SELECTED_IDS } from '../domain/pet-selection.ts'
import { checkLimit, MAX_LIMIT, PLANS, type Plan } from '../domain/plan.ts'
import { parseSearchText } from '../domain/search-text.ts'
import { ACCOUNT_ORDERS, type AccountOrder } from '../domain/store/accounts.ts'
import { PET_ORDERS, type PetOrder } from '../domain/store/animals.ts'
import { BLANK } from '../domain/text-pattern.ts'
import { AUDIT_FILE_FORMATS } from '../schema/audit-file.ts'
import { Label, Networks, nullable, oneOf } from '../schema/fields.ts'
import { MAX_PAGE_SIZE } from '../schema/limits.ts'
import { NewPet, PetChangeMembers, PetStatus } from '../schema/pet-schemas.ts'
import { AccountStateName, PlanName } from '../schema/responses/accounts.ts'
import { KeyScopeName } from '../schema/responses/keys.ts'
import { RoleName } from '../schema/responses/operators.ts'
import { type TProperties, Type } from '../schema/type.ts'

/**
 * The queries and bodies of the admin API. `rule` completes the sentence "<name> must be …". `check` is the domain's own check and throws
 * a UserError. `eitherOf` has the members of which a body needs one.
 */

/** For each form of a body that has several forms. */
const closed = { additionalProperties: false }

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

/** Shows which texts a search refuses; see `fold`. */
const searchText = (description: string, rule: string) => {
  const text = { description, minLength: 1 }
  const described = Type.String({ ...text, pattern: SEARCHABLE_PATTERN })
  return Type.Optional(Type.String({ ...text, rule, check: parseSearchText, described }))
}
const partOfName = searchText('Part of the name; case and accents are ignored.', 'part of a name')

/** A list in ascending order of id. */
export const OldestFirst = Type.Object({ after, limit })

export const NewestFirst = Type.Object({ before, limit })

const category = Type.Optional(NewPet.properties.categoryId)

const ONE_STATUS = `(${PET_STATUSES.join('|')})`

/** Conditions that an animal must meet, all of them. */
const PetConditions = {
  name: partOfName,
  status: Type.Optional(
    Type.String({
      description: `One or more of ${PET_STATUSES.join(', ')}, separated by commas.`,
      pattern: `^${ONE_STATUS}(,${ONE_STATUS})*$`,
      rule: `one or more of ${PET_STATUSES.join(', ')}, separated by commas`,
    }),
  ),
  categoryId: category,
}

export const PetSearch = Type.Object({
  ...PetConditions,
  id: Type.Optional(Type.BigInt({ description: 'Only the animal with this id.', rule: 'an id' })),
  sort: Type.Unsafe<PetOrder>({
    ...oneOf(PET_ORDERS, 'The order of the list, by id.'),
    default: 'oldest',
  }),
  after,
  before,
  limit,
})

export const PetTotalsSearch = Type.Object(PetConditions)

const PetFilterBody = Type.Object(
  {
    name: partOfName,
    status: Type.Optional(
      Type.Array(PetStatus, {
        description: 'Only animals with one of these statuses.',
        minItems: 1,
        maxItems: PET_STATUSES.length,
      }),
    ),
    categoryId: category,
    after: Type.Optional(Type.BigInt({ description: 'Only animals with a higher id.' })),
    before: Type.Optional(Type.BigInt({ description: 'Only animals with a lower id.' })),
  },
  {
    description: 'Selects the animals that match all conditions.',
    additionalProperties: false,
    rule: 'an object with any of name, status (a list), categoryId, after and before',
    check: ({ name }: { name?: string }) => name !== undefined && parseSearchText(name),
  },
)

const PetIds = Type.Array(Type.BigInt({ description: 'An id.' }), {
  description: 'Selects the animals with these ids.',
  minItems: 1,
  maxItems: MAX_SELECTED_IDS,
  rule: `a list of 1 to ${MAX_SELECTED_IDS} ids`,
})

const PetChangeMember = Type.Object(PetChangeMembers, {
  description: 'The new values for each of them; omitted members do not change.',
  minProperties: 1,
  additionalProperties: false,
  rule: `an object with one or more of ${MEMBER_NAMES.slice(0, -1).join(', ')} and ${MEMBER_NAMES.at(-1)}, each as in a new animal`,
})

const version = Type.String({
  description: 'The `version` of the preview.',
  rule: 'the version of a preview',
})

/** A body that selects animals: by a filter or by their ids. */
function selectingPets<More extends TProperties>(more: More) {
  return Type.Object(
    { filter: Type.Optional(PetFilterBody), ids: Type.Optional(PetIds), ...more },
    {
      eitherOf: ['filter', 'ids'],
      described: {
        oneOf: [Type.Object({ filter: PetFilterBody, ...more }, closed), Type.Object({ ids: PetIds, ...more }, closed)],
      },
    },
  )
}

export const PetSelection = selectingPets({})
export const PetsChange = selectingPets({ change: PetChangeMember, version })
export const PetsDeletion = selectingPets({ version })

export const CategorySearch = Type.Object({
  label: searchText('Part of the label; case and accents are ignored.', 'part of a label'),
  after: Type.Optional(Type.BigInt({ description: 'Returns only items with a higher id.', ...idRule })),
  limit,
})

export const PetToAdd = Type.Object(NewPet.properties, { description: 'An animal to add.' })

export const PetChange = Type.Object(PetChangeMembers, {
  description: 'The members to change; omitted members do not change.',
})

/** The domain checks more than a schema can express; the OpenAPI document shows `described`. */
const accountName = Type.String({
  rule: 'a string',
  check: parseAccountName,
  described: Label('1 to 100 characters, not a number, and unique.', {
    not: { pattern: `^[${BLANK}]*([0-9]+|-[1-9][0-9]*)[${BLANK}]*$` },
  }),
})

export const AccountName = Type.Object({ name: accountName })

export const AccountSearch = Type.Object({
  name: partOfName,
  plan: Type.Optional(PlanName),
  state: Type.Optional(AccountStateName),
  sort: Type.Unsafe<AccountOrder>({
    ...oneOf(ACCOUNT_ORDERS, 'The order of the list.'),
    default: 'oldest',
  }),
  after: Type.BigInt({
    description: 'Returns only items after the one with this id, in the order of the list.',
    default: 0n,
    ...idRule,
  }),
  limit,
})

export const PlanChoice = choosingPlan({})

export const NewAccount = choosingPlan({ name: accountName })

/** A body that chooses a plan. Only enterprise has custom limits, and it requires both. */
function choosingPlan<Members extends TProperties>(members: Members) {
  const plan = (names: readonly Plan[]) => oneOf(names, 'The plan of the account.')
  const limitPer = (period: string) =>
    Type.Integer({ description: `Requests per ${period}.`, minimum: 1, maximum: MAX_LIMIT })
  const rule = `an integer from 1 to ${MAX_LIMIT}`
  const optionalLimit = Type.Optional(Type.Integer({ rule, check: checkLimit }))
  const fixed = { ...members, plan: plan(PLANS.filter(name => name !== 'enterprise')) }
  const own = { ...members, plan: plan(['enterprise']), perMinute: limitPer('minute'), perDay: limitPer('day') }
  return Type.Object(
    { ...members, plan: PlanName, perMinute: optionalLimit, perDay: optionalLimit },
    { described: { oneOf: [Type.Object(fixed, closed), Type.Object(own, closed)] } },
  )
}

const INSTANT = 'a date and time with a time zone, such as 2030-12-31T18:00:00Z'

/** The subset of RFC 3339 that all tools accept: no time zone name in brackets, at most nine decimals. */
const INSTANT_PATTERN =
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})$'

const instant = (description: string) =>
  Type.Optional(
    Type.String({
      description,
      format: 'date-time',
      pattern: INSTANT_PATTERN,
      rule: INSTANT,
    }),
  )

export const KeySearch = Type.Object({
  account,
  state: Type.Optional(oneOf(KEY_STATES, 'Only keys in this state. A banned key is also active.')),
  search: searchText(
    'Part of the name (case and accents are ignored), or the last characters of the key.',
    'part of a name, or the last characters of a key',
  ),
  unusedSince: instant('Only keys issued before this time that have not called since, as far back as usage is kept.'),
  used: Type.Optional(
    Type.Boolean({
      description: '`true`: only keys that have called. `false`: only keys that never have.',
      rule: 'true or false',
    }),
  ),
  expiresBefore: instant('Only keys that expire before this time or have already expired.'),
  after,
  limit,
})

/** The name of a key, a token, a category … @param what its name in messages, such as "A key name" */
const labelOf = (what: string, description: string) =>
  Type.String({ rule: 'a string', check: (text: string) => parseLabel(text, what), described: Label(description) })

export const CategoryLabel = Type.Object({ label: labelOf('A label', 'The label: 1 to 100 characters.') })

const KEY_NAME = 'The name of the key: 1 to 100 characters.'
const NETWORKS = 'The IP addresses and CIDR ranges that the key may call from'
const KEY_EXPIRY = 'When the key expires. If omitted, it never expires.'

/** What operators choose when they issue a key. */
const keyTerms = {
  name: Type.Optional(labelOf('A key name', KEY_NAME)),
  scope: Type.Optional(KeyScopeName),
  networks: Type.Optional(
    Type.Array(Type.String(), {
      rule: 'a list of IP addresses and CIDR ranges',
      check: parseNetworks,
      described: Networks(`${NETWORKS}. If omitted, it may call from anywhere.`),
    }),
  ),
}

export const NewKey = Type.Object({ ...keyTerms, expiresAt: instant(KEY_EXPIRY) })

export const NewClaimLink = Type.Object({
  ...keyTerms,
  keyExpiresAt: instant(KEY_EXPIRY),
  validForSeconds: Type.Optional(
    Type.Integer({
      description: 'How long the link works, in seconds. The default is a setting of the service.',
      minimum: MIN_CLAIM_LINK_SECONDS,
      maximum: MAX_CLAIM_LINK_SECONDS,
      rule: `an integer from ${MIN_CLAIM_LINK_SECONDS} to ${MAX_CLAIM_LINK_SECONDS}`,
    }),
  ),
})

export const ClaimLinkSearch = Type.Object({
  account,
  state: Type.Optional(oneOf(CLAIM_LINK_STATES, 'Only links in this state.')),
  before,
  limit,
})

/**
 * Returns Unix milliseconds.
 * @throws UserError for a day or a time that does not exist
 */
export function parseInstant<Name extends string>(name: Name, body: { [member in Name]?: string }): number | undefined {
  const text = body[name]
  try {
    return text === undefined ? undefined : Temporal.Instant.from(text).epochMilliseconds
  } catch {
    throw new UserError('invalid', `${name} must be ${INSTANT}.`, name)
  }
}

export const KeyChange = Type.Object(
  {
    name: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        rule: 'a string or null',
        check: (name: string | null) => name !== null && parseLabel(name, 'A key name'),
        described: nullable(Label(KEY_NAME)),
      }),
    ),
    scope: Type.Optional(KeyScopeName),
    networks: Type.Optional(
      Type.Union([Type.Array(Type.String()), Type.Null()], {
        rule: 'a list of IP addresses and CIDR ranges, or null',
        check: (networks: string[] | null) => networks !== null && parseNetworks(networks),
        described: nullable(Networks(`${NETWORKS}; null for anywhere.`)),
      }),
    ),
  },
  { description: 'The members to change; omitted members do not change.' },
)

export const KeyRotation = Type.Object({
  overlapSeconds: Type.Integer({
    description: `How long both keys work, in seconds. Default: ${DEFAULT_OVERLAP_SECONDS}.`,
    minimum: 0,
    maximum: MAX_OVERLAP_SECONDS,
    default: DEFAULT_OVERLAP_SECONDS,
    rule: `an integer from 0 to ${MAX_OVERLAP_SECONDS}`,
  }),
})

/** Parsed by parseUsageRange. */
const day = (description: string) =>
  Type.Optional(Type.String({ description, format: 'date', rule: 'a UTC day such as 2030-12-31' }))

const MAX_TOP_SUMS = 1_000
const USAGE_GROUP = `(${USAGE_GROUPS.join('|')})`

export const UsageSearch = Type.Object({
  account,
  key: Type.Optional(Type.BigInt({ description: 'Only the key with this id.', rule: 'an id' })),
  operation: Type.Optional(Type.String({ description: 'Only this operation.', minLength: 1, rule: 'an operation' })),
  from: day('The first day.'),
  to: day('The last day. Default: today.'),
  hours: Type.Optional(
    Type.Integer({
      description: `Only the last hours of these days, up to the current hour. Default if usage is grouped by hour without \`from\`: ${DEFAULT_USAGE_HOURS}.`,
      minimum: 1,
      maximum: MAX_USAGE_HOURS,
      rule: `an integer from 1 to ${MAX_USAGE_HOURS}`,
    }),
  ),
  by: Type.Optional(
    Type.String({
      description: `What to group by, and the order of the sums: one or more of ${USAGE_GROUPS.join(', ')}, separated by commas. Default: \`account\`, or \`day\` if an account or a key is given.`,
      pattern: `^${USAGE_GROUP}(,${USAGE_GROUP})*$`,
      rule: `one or more of ${USAGE_GROUPS.join(', ')}, separated by commas`,
    }),
  ),
  fill: Type.Optional(
    Type.Boolean({
      description:
        'Whether to include days or hours without calls. Those in the future, and hours that are no longer kept, are left out.',
      rule: 'true or false',
    }),
  ),
  top: Type.Optional(
    Type.Integer({
      description: 'Returns at most this many sums, most calls first. Sums without calls are left out.',
      minimum: 1,
      maximum: MAX_TOP_SUMS,
      rule: `an integer from 1 to ${MAX_TOP_SUMS}`,
    }),
  ),
})

export const DeprecatedUsageSearch = Type.Object({
  from: day('The first day.'),
  to: day('The last day. Default: today.'),
  limit,
})

export const BanSearch = Type.Object({
  account,
  state: Type.Optional(oneOf(['in-force', 'all'], 'Only bans in force, or all. Default: `in-force`.')),
  before,
  limit,
})

const DAY_OR_INSTANT = `a UTC day such as 2030-12-31, or ${INSTANT}`

/** Parsed by `parseAuditFilter`. */
const dayOrInstant = (description: string) =>
  Type.Optional(
    Type.Union([Type.String({ format: 'date' }), Type.String({ format: 'date-time', pattern: INSTANT_PATTERN })], {
      description,
      rule: DAY_OR_INSTANT,
    }),
  )

const auditFilter = {
  account,
  action: Type.Optional(
    oneOf(
      [...AUDIT_ACTIONS, ...AUDIT_KINDS],
      'Only this action, or all actions of a kind, such as `pet` or `sign-in`.',
    ),
  ),
  subjectKind: Type.Optional(oneOf(SUBJECT_KINDS, 'Only actions on this kind of object.')),
  subjectId: Type.Optional(Type.BigInt({ description: 'Only actions on objects with this id.', rule: 'an id' })),
  operator: Type.Optional(
    Type.String({
      description: 'Only actions of this operator: the id or the name of a token, or a user of the command line.',
      minLength: 1,
      rule: 'an id or a name',
    }),
  ),
  from: dayOrInstant('The first day, or the start time.'),
  to: dayOrInstant('The last day, or the end time (exclusive).'),
}

export const AuditSearch = Type.Object({ ...auditFilter, before, limit })

export const AuditExport = Type.Object({
  ...auditFilter,
  format: Type.Optional(oneOf(AUDIT_FILE_FORMATS, 'The format of the file. Default: `ndjson`.')),
})

export const NewToken = Type.Object({
  name: labelOf('A token name', 'The name of its holder, as shown in the audit log: 1 to 100 characters.'),
  role: RoleName,
  expiresAt: instant('When the token expires. If omitted, it never expires.'),
})

const token = Type.String({
  description: 'An operator token. The one in the example is a placeholder.',
  rule: 'an operator token',
})
const link = Type.String({
  description:
    'The secret of a sign-in link: the part of its address after the `#`. The one in the example is a placeholder.',
  rule: 'the secret of a sign-in link',
})

/** Has exactly one of the two. */
export const SignIn = Type.Object(
  { token: Type.Optional(token), link: Type.Optional(link) },
  {
    eitherOf: ['token', 'link'],
    described: { oneOf: [Type.Object({ token }, closed), Type.Object({ link }, closed)] },
  },
)
