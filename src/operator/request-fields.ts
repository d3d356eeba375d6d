import { invalid } from '../domain/errors.ts'
import { SEARCHABLE_PATTERN } from '../domain/fold.ts'
import { parseLabel } from '../domain/label.ts'
import { parseNetworks } from '../domain/networks.ts'
import { PET_STATUSES } from '../domain/pet.ts'
import { parseSearchText } from '../domain/search-text.ts'
import { SOURCE_NAME_PATTERN, SOURCE_NAME_RULE } from '../domain/source.ts'
import { given, integer, Label } from '../schema/fields.ts'
import { MAX_PAGE_SIZE } from '../schema/limits.ts'
import { NewPet } from '../schema/pet-schemas.ts'
import { KeyScopeName, Networks } from '../schema/responses/keys.ts'
import { Type } from '../schema/type.ts'

/**
 * Members of queries and bodies that several operations share. `rule` completes the sentence "<name> must be …". `check` is the domain's own
 * check and throws a UserError. `eitherOf` has the members of which a body needs one.
 */

/** For each form of a body that has several forms. */
export const closed = { additionalProperties: false }

export const limit = integer(1, MAX_PAGE_SIZE, 'Maximum number of items returned.', { default: 50 })
export const idRule = { rule: 'an id from the previous page' }
export const after = Type.BigInt({ description: 'Returns only items with a higher id.', default: 0n, ...idRule })
export const before = Type.Optional(Type.BigInt({ description: 'Returns only items with a lower id.', ...idRule }))
export const account = Type.Optional(given('Only this account: its id or its name.', 'an id or a name'))

/** Shows which texts a search refuses; see `fold`. */
export const searchText = (description: string, rule: string) => {
  const text = { description, minLength: 1 }
  const described = Type.String({ ...text, pattern: SEARCHABLE_PATTERN })
  return Type.Optional(Type.String({ ...text, rule, check: parseSearchText, described }))
}
export const partOfName = searchText('Part of the name; case and accents are ignored.', 'part of a name')

export const category = Type.Optional(NewPet.properties.categoryId)

const ONE_STATUS = `(${PET_STATUSES.join('|')})`

/** Conditions that an animal must meet, all of them. */
export const PetConditions = Type.Partial({
  name: partOfName,
  status: Type.String({
    description: `One or more of ${PET_STATUSES.join(', ')}, separated by commas.`,
    pattern: `^${ONE_STATUS}(,${ONE_STATUS})*$`,
    rule: `one or more of ${PET_STATUSES.join(', ')}, separated by commas`,
  }),
  categoryId: category,
})

export const INSTANT = 'a date and time with a time zone, such as 2030-12-31T18:00:00Z'

/** The subset of RFC 3339 that all tools accept: no time zone name in brackets, at most nine decimals. */
export const INSTANT_PATTERN =
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})$'

export const instant = (description: string) =>
  Type.Optional(
    Type.String({
      description,
      format: 'date-time',
      pattern: INSTANT_PATTERN,
      rule: INSTANT,
    }),
  )

/** The name of a key, a token, a category … @param what its name in messages, such as "A key name" */
export const labelOf = (what: string, description: string) =>
  Type.String({ rule: 'a string', check: (text: string) => parseLabel(text, what), described: Label(description) })

export const sourceName = (description: string) =>
  Type.String({ description, pattern: SOURCE_NAME_PATTERN, rule: SOURCE_NAME_RULE })

export const KEY_NAME = 'The name of the key: 1 to 100 characters.'
export const NETWORKS = 'The IP addresses and CIDR ranges that the key may call from'
export const KEY_EXPIRY = 'When the key expires. If omitted, it never expires.'

/** What operators choose when they issue a key. */
export const keyTerms = Type.Partial({
  name: labelOf('A key name', KEY_NAME),
  scope: KeyScopeName,
  networks: Type.Array(Type.String(), {
    rule: 'a list of IP addresses and CIDR ranges',
    check: parseNetworks,
    described: Networks(`${NETWORKS}. If omitted, it may call from anywhere.`),
  }),
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
    throw invalid(`${name} must be ${INSTANT}.`, name)
  }
}
