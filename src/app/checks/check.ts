import { UserError } from '../../domain/errors.ts'
import type { Awaitable } from '../../http/awaitable.ts'
import type { Facts } from './facts.ts'
import { fail, type Verdict } from './verdict.ts'

export interface Check {
  name: string
  run(facts: Given): Promise<readonly Verdict[]>
}

type Given = Partial<Facts> & Pick<Facts, 'now'>

/**
 * A check for the programs that have the fact that it needs.
 * @param run may throw a UserError, which then is the problem
 */
export function check<Need extends keyof Facts>(
  name: string,
  need: Need,
  run: (fact: Facts[Need], facts: Given) => Awaitable<Verdict | readonly Verdict[]>,
): Check {
  return {
    name,
    async run(facts) {
      const fact = facts[need]
      if (fact === undefined) return []
      try {
        return [await run(fact as Facts[Need], facts)].flat()
      } catch (error) {
        if (error instanceof UserError) return [fail(error.message)]
        throw error
      }
    },
  }
}
