/** What a proxy does to a request instead of forwarding it and its answer. */
export type Fault = Cut | { kind: 'delay'; ms: number } | OwnAnswer

interface Cut {
  kind: 'cut'
  /** A description for people. */
  at: string
}

/** An answer that does not come from the service. */
export interface OwnAnswer {
  kind: 'answer'
  status: number
  headers: Record<string, string>
  body: Buffer
}

/** The service never sees the request. */
export const CUT_BEFORE: Fault = { kind: 'cut', at: 'before the request is passed on' }
/** The service carries out the request, but its answer is lost. */
export const CUT_AFTER: Fault = { kind: 'cut', at: 'after the service has answered' }
/** Half of the answer is lost. */
export const CUT_IN_BODY: Fault = { kind: 'cut', at: "in the middle of the answer's body" }

/** The request is forwarded after this delay, in real milliseconds. */
export function delay(ms: number): Fault {
  return { kind: 'delay', ms }
}

/** A refusal as the service words it. */
export function refusal(status: number, code: string, retryAfterSeconds?: number): Fault {
  const retryAfter = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
  const headers = { ...LIMIT_HEADERS, ...retryAfter }
  return ownAnswer(status, JSON.stringify({ code, message: 'So it is for now.', status }), headers)
}

/** Every answer of the service has these. */
export const LIMIT_HEADERS = {
  'x-ratelimit-limit': '60',
  'x-ratelimit-remaining': '0',
  'x-ratelimit-reset': '1798761600',
}

/** An answer that is not JSON, as from another program in between. */
export function page(status: number): Fault {
  return ownAnswer(status, '<html><body>Bad gateway</body></html>')
}

function ownAnswer(status: number, body: string, headers: Record<string, string> = {}): Fault {
  const type = body.startsWith('{') ? 'application/json' : 'text/html'
  return { kind: 'answer', status, headers: { 'content-type': type, ...headers }, body: Buffer.from(body) }
}

/** One of these faults for each request, in order; later requests meet none. */
export function inTurn(...faults: readonly (Fault | undefined)[]): () => Fault | undefined {
  const left = [...faults]
  return () => left.shift()
}

/**
 * Each request meets one of these faults with this probability.
 * @param random from 0 to below 1, the same in every run
 */
export function sometimes(
  probability: number,
  faults: readonly Fault[],
  random: () => number,
): () => Fault | undefined {
  return () => (random() < probability ? faults[Math.floor(random() * faults.length)] : undefined)
}

/** The faults that thousands of creations must survive. */
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
