import type { Call } from './call.ts'
import type { OnAnswered } from './server.ts'

/**
 * One line per call: who, what, how it ended, how long it took. Never a key, nor a query, which might carry one.
 * The line is what pino would write at level info, put together by hand: this one line would otherwise cost a quarter of a list.
 */
export function buildAccessLog(logTo: { write(line: string): unknown }): OnAnswered {
  return (call, status, refusal) => {
    const { request, requestId, operation, caller, operator, now, startedAt } = call
    const microseconds = Math.round((performance.now() - startedAt) * 1_000)
    let line = `{"level":30,"time":${now},"requestId":"${requestId}","method":"${request.method}","path":${pathOf(call)}`
    if (operation !== undefined) line += `,"operation":"${operation}"`
    if (caller) line += `,"account":${caller.accountId},"key":${caller.keyId}`
    if (operator) line += `,"token":${operator.tokenId}`
    if (status !== undefined) line += `,"status":${status}`
    if (refusal) line += `,"code":"${refusal.code}"`
    if (refusal?.reason !== undefined) line += `,"reason":${JSON.stringify(refusal.reason)}`
    logTo.write(`${line},"durationMs":${microseconds / 1_000},"msg":"call"}\n`)
  }
}

/** What may be a key, a token or a session's secret, or most of one: nothing that long and that plain is in a path of ours. */
const SECRET = /petstore_|[\w-]{30}/

/** The path as a JSON string. A parsed target has no character that JSON escapes. */
function pathOf({ target, request }: Call): string {
  const path = target?.path ?? request.url?.split('?', 1)[0] ?? ''
  if (path.length > 200 || SECRET.test(path.includes('%') ? decodeFully(path) : path)) return '"(withheld)"'
  return target ? `"${path}"` : JSON.stringify(path)
}

/** Every percent-encoded character, however many times it was encoded. */
function decodeFully(path: string): string {
  return path.replaceAll(/%(?:25)*([0-9A-Fa-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
}
