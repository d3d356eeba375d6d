import { formatCount } from '../../lib/numbers.ts'
import { PLAN_NAMES } from '../../parts/accounts/plans.tsx'
import { SCOPE_NAMES } from '../../parts/keys/columns.tsx'
import { STATUSES } from '../../parts/statuses.tsx'
import { ROLE_NAMES } from '../../parts/tokens/roles.ts'

/** Values that staff know by another name than the API's. */
const NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  plan: PLAN_NAMES,
  role: ROLE_NAMES,
  scope: SCOPE_NAMES,
  status: Object.fromEntries(STATUSES.map(({ value, name }) => [value, name])),
  networks: { null: 'any address' },
}

const COUNTS = ['count', 'perMinute', 'perDay']

/** The words for a value; undefined if it speaks for itself. */
export function valueWords(member: string, value: unknown): string | undefined {
  if (COUNTS.includes(member) && value) return formatCount(Number(value))
  return NAMES[member]?.[String(value)]
}
