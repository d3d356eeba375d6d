declare global {
  interface JSON {
    /** A value that stringify writes unchanged. Missing from TypeScript's own types. */
    rawJSON(text: string): unknown
  }
}

/** Formats JSON. A bigint is written as an integer with all its digits. */
export function formatJson(value: unknown, space?: number): string {
  return JSON.stringify(value, exactly, space)
}

function exactly(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value
}
