import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { Page, PetSearch } from '../domain/store.ts'
import type { UsageDimension, UsageQuery } from '../domain/usage.ts'
import type { AccountRow, PetRow, UsageRow } from '../sql/rows.ts'
import { ACCOUNT } from '../sql/selections.ts'
import { conditions } from './conditions.ts'

/** Every read that may take long, by name. They run on the reader's thread. */
export type Reads = ReturnType<typeof buildReads>

/** What each dimension shows in a sum, and where it comes from. */
const DIMENSIONS: Record<UsageDimension, { columns: string; key: string }> = {
  day: { columns: 'day', key: 'day' },
  account: {
    columns: 'account_id, (SELECT name FROM account WHERE id = account_id) AS account_name',
    key: 'account_id',
  },
  key: { columns: 'key_id, (SELECT name FROM api_key WHERE id = key_id) AS key_name', key: 'key_id' },
  operation: { columns: 'operation', key: 'operation' },
}

export function buildReads(database: DatabaseSync) {
  database.function('has_part', { deterministic: true }, (text, part) => Number(fold(text).includes(String(part))))

  return {
    /** One row more than the limit shows that more follow. */
    searchPets({ name, status, categoryId, id, afterId, limit }: PetSearch): PetRow[] {
      const { where, values } = conditions([
        ['id > ?', afterId],
        ['id = ?', id],
        ['status = ?', status],
        ['category_id = ?', categoryId],
        ['has_part(name, ?)', name === undefined ? undefined : fold(name)],
      ])
      const sql = `SELECT id, name, category_id, status FROM pet ${where} ORDER BY id LIMIT ?`
      return database.prepare(sql).all(...values, limit + 1) as unknown as PetRow[]
    },

    sumUsage({ fromDay, toDay, accountId, operation, by, limit = Number.MAX_SAFE_INTEGER }: UsageQuery): UsageRow[] {
      const { where, values } = conditions([
        ['day >= ?', fromDay],
        ['day <= ?', toDay],
        ['account_id = ?', accountId],
        ['operation = ?', operation],
      ])
      const columns = by.map(dimension => `${DIMENSIONS[dimension].columns}, `).join('')
      const keys = by.map(dimension => DIMENSIONS[dimension].key).join(', ')
      const sums = ['admitted', 'refused', 'banned', 'status_2xx', 'status_3xx', 'status_4xx', 'status_5xx']
        .map(column => `sum(${column}) AS ${column}`)
        .join(', ')
      const grouped = keys === '' ? 'HAVING count(*) > 0' : `GROUP BY ${keys} ORDER BY ${keys}`
      const sql = `SELECT ${columns}${sums}, max(last_at) AS last_at FROM usage ${where} ${grouped} LIMIT ?`
      return database.prepare(sql).all(...values, limit) as unknown as UsageRow[]
    },

    listAccounts({ afterId, limit }: Page): AccountRow[] {
      return database
        .prepare(`${ACCOUNT} WHERE account.id > ? ORDER BY account.id LIMIT ?`)
        .all(afterId, limit) as unknown as AccountRow[]
    },
  }
}

/** So that it does not matter in which case or normal form a name is typed. In capitals, ß is SS and ς is Σ. */
function fold(text: SQLInputValue): string {
  return String(text).normalize('NFKC').toUpperCase().normalize('NFKC')
}
