declare global {
  interface JSON {
    /** A value that stringify writes as it is. TypeScript's own types lack it. */
    rawJSON(text: string): unknown
  }
}

/** JSON text. A bigint becomes an integer, digit for digit. */
export function formatJson(value: unknown, space?: number): string {
  return JSON.stringify(value, exactly, space)
}

function exactly(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value
}
