/** Version, trace id, parent id, flags. Later versions may append more parts, but version 00 does not. No id is all zeros. */
const TRACEPARENT =
  /^(?:00(?=.{53}$)|(?!00|ff)[0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$/

/** The trace of a `traceparent` header, for our log: 32 hexadecimal digits (W3C Trace Context, section 3.2). Undefined if it is malformed. */
export function traceIdOf(traceparent: string | string[] | undefined): string | undefined {
  return typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent)?.[1] : undefined
}
