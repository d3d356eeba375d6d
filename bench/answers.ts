/** The number of answered calls, and their latencies. */
export interface Answers {
  calls: number
  p50Ms: number
  p99Ms: number
}

/** @param times of all answers in milliseconds, in any order */
export function summarizeAnswers(times: readonly number[]): Answers {
  const sorted = times.toSorted((one, other) => one - other)
  const percentile = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  return { calls: sorted.length, p50Ms: percentile(0.5), p99Ms: percentile(0.99) }
}
