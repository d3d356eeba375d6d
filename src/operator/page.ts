import { Type } from 'typebox'
import type { Call } from '../http/call.ts'
import type { Reply } from './operation.ts'

const LIMIT = Type.Integer({
  description: 'How many at most.',
  minimum: 1,
  maximum: 100,
  default: 50,
  rule: 'an integer from 1 to 100',
})

const idRule = { rule: 'an id, as the answer before gave it' }

/** The query of a list by ascending id. */
export const AFTER = {
  after: Type.BigInt({ description: 'Where the page begins: behind this id.', default: 0n, ...idRule }),
  limit: LIMIT,
}

/** The query of a list that has the newest first. */
export const BEFORE = {
  before: Type.Optional(
    Type.BigInt({ description: 'Where the page begins: with what is older than this id.', ...idRule }),
  ),
  limit: LIMIT,
}

/**
 * A page of a list, with a `Link` to the next one (RFC 8288) if there is one.
 * @param items one more than the limit, if there are that many
 */
export function pageReply<Item extends { id: bigint }>(
  call: Call,
  { limit, edge }: { limit: number; edge: 'after' | 'before' },
  items: readonly Item[],
  view: (item: Item) => unknown,
): Reply {
  const page = items.slice(0, limit)
  const last = page.at(-1)
  if (items.length <= limit || !last) return { value: page.map(view) }
  const next = new URLSearchParams(call.target?.query)
  next.set(edge, String(last.id))
  return { value: page.map(view), headers: ['Link', `<${call.target?.path}?${next}>; rel="next"`] }
}
