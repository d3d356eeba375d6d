import type { SourceRun } from '../../api/schema.ts'
import { formatCount } from '../../lib/numbers.ts'
import { optionsOf } from '../../lib/options.ts'

/** What happens to animals that are missing from a file. */
export const MISSING = { sold: 'They become sold', delete: 'They are deleted', keep: 'They stay as they are' } as const

export const MISSING_OPTIONS = optionsOf(MISSING)

type Numbers = Pick<SourceRun, 'added' | 'corrected' | 'returned' | 'removed' | 'unchanged' | 'leftOut'>

const NAMES = {
  added: 'added',
  corrected: 'corrected',
  returned: 'returned',
  removed: 'removed',
  unchanged: 'unchanged',
  leftOut: 'left out',
} as const

/** What a file has done, or would do. */
export function summaryOf(numbers: Numbers): string {
  const done = (Object.keys(NAMES) as (keyof Numbers)[]).filter(name => numbers[name] > 0)
  return done.map(name => `${formatCount(numbers[name])} ${NAMES[name]}`).join(', ') || 'no animals'
}
