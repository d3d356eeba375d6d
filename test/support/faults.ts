/** What a proxy does to a request instead of passing it and its answer on. */
export type Fault = Cut | { kind: 'delay'; ms: number } | OwnAnswer

interface Cut {
  kind: 'cut'
  /** Where, for people. */
  at: string
}

/** An answer that the service did not give. */
export interface OwnAnswer {
  kind: 'answer'
  status: number
  headers: Record<string, string>
  body: Buffer
}

/** The service never sees the request. */
export const CUT_BEFORE: Fault = { kind: 'cut', at: 'before the request is passed on' }
/** The service has carried the request out, and its answer is lost. */
export const CUT_AFTER: Fault = { kind: 'cut', at: 'after the service has answered' }
/** Of the answer half is lost. */
export const CUT_IN_BODY: Fault = { kind: 'cut', at: "in the middle of the answer's body" }

/** The request is passed on later; in real milliseconds. */
export function delay(ms: number): Fault {
  return { kind: 'delay', ms }
}

/** A refusal as the service words it. */
export function refusal(status: number, code: string, retryAfterSeconds?: number): Fault {
  return ownAnswer(status, JSON.stringify({ code, message: 'So it is for now.', status }), retryAfterSeconds)
}

/** An answer that is no JSON, as of something else on the way. */
export function page(status: number): Fault {
  return ownAnswer(status, '<html><body>Bad gateway</body></html>')
}

function ownAnswer(status: number, body: string, retryAfterSeconds?: number): Fault {
  const retryAfter = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
  const type = body.startsWith('{') ? 'application/json' : 'text/html'
  const headers = { 'content-type': type, ...retryAfter }
  return { kind: 'answer', status, headers, body: Buffer.from(body) }
}

/** These, one for each request in the order in which they come; behind the last of them nothing goes wrong. */
export function inTurn(...faults: readonly (Fault | undefined)[]): () => Fault | undefined {
  const left = [...faults]
  return () => left.shift()
}

/**
 * Each request meets one of these with this probability.
 * @param random from 0 to below 1, the same in every run
 */
export function sometimes(
  probability: number,
  faults: readonly Fault[],
  random: () => number,
): () => Fault | undefined {
  return () => (random() < probability ? faults[Math.floor(random() * faults.length)] : undefined)
}

/** What thousands of creations have to survive. */
export const FAULTS: readonly Fault[] = [
  CUT_BEFORE,
  CUT_AFTER,
  CUT_IN_BODY,
  delay(20),
  page(502),
  refusal(500, 'internal_error'),
  refusal(503, 'service_unavailable', 1),
  refusal(429, 'rate_limit_exceeded', 2),
]
