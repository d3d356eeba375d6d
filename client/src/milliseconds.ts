/** @throws RangeError for what is no number, which would be as little as none or as much as ever */
export function parseMilliseconds(name: string, ms: number): number {
  if (typeof ms !== 'number' || Number.isNaN(ms)) {
    throw new RangeError(`${name} must be a number of milliseconds; it is the ${typeof ms} ${ms}.`)
  }
  return ms
}
