import { INT64_MEMBERS } from './schema.ts'

/** Parses JSON. The members that are 64-bit integers become bigints, so that none is rounded. */
export function parseJson(text: string): unknown {
  return JSON.parse(text, readExactly)
}

/** JSON text. A bigint becomes an integer, digit for digit. */
export function formatJson(value: unknown): string {
  return JSON.stringify(value, writeExactly)
}

function readExactly(name: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  if (typeof value !== 'number') return value
  return INT64_MEMBERS.has(name) || !(Number.isSafeInteger(value) || value % 1 !== 0) ? BigInt(source) : value
}

function writeExactly(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? (JSON as unknown as RawJson).rawJSON(String(value)) : value
}

interface RawJson {
  /** A value that stringify writes verbatim. TypeScript's own types lack it. */
  rawJSON(text: string): unknown
}
