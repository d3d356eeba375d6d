import { escapeUnseen } from '../domain/outside-text.ts'
import { formatJson as formatExactJson } from '../http/exact-json.ts'

/** What `--json` prints: exactly one document. */
export function printJson(value: unknown): void {
  process.stdout.write(`${formatJson(value)}\n`)
}

/** What a terminal would obey is escaped, as JSON may have it: whoever parses it gets the same. */
export function formatJson(value: unknown): string {
  return escapeUnseen(formatExactJson(value, 2))
}
