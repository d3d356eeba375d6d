import { formatJson } from '../http/exact-json.ts'

/** What `--json` prints: exactly one document. */
export function printJson(value: unknown): void {
  process.stdout.write(`${formatJson(value, 2)}\n`)
}
