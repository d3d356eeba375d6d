/**
 * Formats an int64 for JSON and addresses.
 * @param name for the error message
 * @throws RangeError for a fraction, a number that may already have been rounded, or more than 64 bits
 */
export function formatInt64(value: bigint | number, name: string): string {
  const isExact = typeof value === 'bigint' ? isInt64(value) : Number.isSafeInteger(value)
  if (!isExact) {
    const given = `the ${typeof value} ${String(value)}`
    throw new RangeError(`${name} must be a 64-bit integer, given as a bigint if it is beyond 2^53; it is ${given}.`)
  }
  return BigInt(value).toString()
}

/** Parses a 64-bit integer from JSON; undefined for anything else. */
export function parseInt64(text: unknown): bigint | undefined {
  if (typeof text !== 'string' || !/^-?\d{1,19}$/.test(text)) return undefined
  const value = BigInt(text)
  return isInt64(value) ? value : undefined
}

function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value
}
