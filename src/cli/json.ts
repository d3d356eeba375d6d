import { formatJson as formatExactJson } from '../http/exact-json.ts'

/** What `--json` prints: exactly one document. */
export function printJson(value: unknown): void {
  process.stdout.write(`${formatJson(value)}\n`)
}

export function formatJson(value: unknown): string {
  return formatExactJson(value, 2)
}
