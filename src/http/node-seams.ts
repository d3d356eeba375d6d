import type { ServerResponse } from 'node:http'

/** Has Node say `Connection: close` in an answer, and end the connection after it. Node's types have this member, its documentation does not. */
export function endAfter(response: ServerResponse): void {
  response.shouldKeepAlive = false
}
