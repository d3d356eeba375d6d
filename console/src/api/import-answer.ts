import { parseJson } from './json.ts'
import type { ImportReport } from './schema.ts'

/** Everything of a report except its bad lines. */
export type ImportTotals = Omit<ImportReport, 'bad' | 'badLinesOmitted'>

/** Has at most the first 1,000 bad lines, and counts all of them. */
export async function readReport(answer: Blob): Promise<ImportReport> {
  return parseJson(await answer.text()) as ImportReport
}
