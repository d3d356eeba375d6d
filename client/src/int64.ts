const SMALLEST = -(2n ** 63n)
const LARGEST = 2n ** 63n - 1n

/**
 * An int64 as it is written in JSON and in addresses.
 * @param name what it is, for the message
 * @throws RangeError for a fraction, a number that may have been rounded already, and what has more than 64 bits
 */
export function formatInt64(value: bigint | number, name: string): string {
  const isExact = typeof value === 'bigint' ? value >= SMALLEST && value <= LARGEST : Number.isSafeInteger(value)
  if (!isExact) {
    throw new RangeError(`${name} must be an integer of 64 bits, and beyond 2^53 a bigint; it is ${value}.`)
  }
  return BigInt(value).toString()
}

/** Reads an integer as it stands in JSON; undefined for anything else. */
export function parseInt64(text: unknown): bigint | undefined {
  return typeof text === 'string' && /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined
}
