/**
 * An int64 as it is written in JSON and in addresses.
 * @param name what it is, for the message
 * @throws RangeError for a fraction, a number that may have been rounded already, and what has more than 64 bits
 */
export function formatInt64(value: bigint | number, name: string): string {
  const isExact = typeof value === 'bigint' ? isInt64(value) : Number.isSafeInteger(value)
  if (!isExact) {
    const given = `the ${typeof value} ${String(value)}`
    throw new RangeError(`${name} must be an integer of 64 bits, and beyond 2^53 a bigint; it is ${given}.`)
  }
  return BigInt(value).toString()
}

/** Reads an integer of 64 bits as it stands in JSON; undefined for anything else. */
export function parseInt64(text: unknown): bigint | undefined {
  if (typeof text !== 'string' || !/^-?\d{1,19}$/.test(text)) return undefined
  const value = BigInt(text)
  return isInt64(value) ? value : undefined
}

function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value
}
