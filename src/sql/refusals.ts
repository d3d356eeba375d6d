import { type ListedRefusal, MAX_REFUSALS, type RefusalQuery, type RefusedCall } from '../domain/refusals.ts'
import { columnOf, ID, optional, POSITIVE, rowReader, TEXT, TIME } from './row-reader.ts'
import { all, type Query, type Value } from './statement.ts'

const FIELDS = [
  'keyId',
  'calledAt',
  'sequence',
  'method',
  'path',
  'status',
  'code',
  'calledFrom',
  'userAgent',
] as const satisfies (keyof RefusedCall)[]

export const REFUSAL_COLUMNS = FIELDS.map(columnOf)
export const REFUSAL_KEY = ['key_id', 'called_at', 'sequence']

/** In the order of the columns. */
export function refusalValues(call: RefusedCall): Value[] {
  return FIELDS.map(field => call[field] ?? null)
}

const NEWEST_FIRST = 'ORDER BY called_at DESC, sequence DESC'

/**
 * The newest call of a key that is no longer kept, if there is one.
 * @param key an expression
 */
export function newestToDelete(key: string): string {
  return `SELECT called_at, sequence FROM refusal WHERE key_id = ${key} ${NEWEST_FIRST} LIMIT 1 OFFSET ${MAX_REFUSALS}`
}

const listedOf = rowReader<ListedRefusal>('a refused call', {
  keyId: ID,
  keyName: optional(TEXT),
  calledAt: TIME,
  method: TEXT,
  path: TEXT,
  status: POSITIVE,
  code: TEXT,
  calledFrom: TEXT,
  userAgent: optional(TEXT),
})

export function refusalsFound(query: RefusalQuery): Query<ListedRefusal[]> {
  const [condition, id] =
    'keyId' in query
      ? ['key_id = ?', query.keyId]
      : ['key_id IN (SELECT id FROM api_key WHERE account_id = ?)', query.accountId]
  const sql = `SELECT refusal.*, (SELECT name FROM api_key WHERE id = key_id) AS key_name FROM refusal
    WHERE ${condition} ${NEWEST_FIRST} LIMIT ${MAX_REFUSALS}`
  return all(sql, [id], listedOf)
}
