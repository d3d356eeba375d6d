import type { UsageRow } from '../domain/administration/sum-usage.ts'
import { guard } from '../domain/formula-guard.ts'
import { spellOut } from '../domain/untrusted-text.ts'
import { callsOf } from '../domain/usage.ts'
import { BYTE_ORDER_MARK, formatCsvRow } from './csv-rows.ts'
import { usageJson } from './responses/usage.ts'

/** Each column of usage as a CSV file for spreadsheets. Names may come from strangers: none is read as a formula, or controls a terminal. */
const COLUMNS: Readonly<Record<string, (row: ReturnType<typeof usageJson>) => unknown>> = {
  time: ({ day, hour }) => hour ?? day,
  accountId: ({ accountId }) => accountId,
  account: ({ account }) => account,
  keyId: ({ keyId }) => keyId,
  keyName: ({ keyName }) => keyName,
  operation: ({ operation }) => operation,
  status: ({ status }) => status,
  calls: callsOf,
}

const CELLS = Object.values(COLUMNS)

export const USAGE_FILE_HEADER = `${BYTE_ORDER_MARK}${formatCsvRow(Object.keys(COLUMNS))}\n`

/** @param batches rows by day or hour, account, key, operation and status */
export async function* formatUsageFile(batches: AsyncIterable<readonly UsageRow[]>): AsyncIterable<string> {
  yield USAGE_FILE_HEADER
  for await (const rows of batches) yield rows.map(row => `${formatRow(row)}\n`).join('')
}

function formatRow(row: UsageRow): string {
  const json = usageJson(row)
  return formatCsvRow(CELLS.map(cellOf => guard(spellOut(String(cellOf(json) ?? '')))))
}
