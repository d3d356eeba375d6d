import type { Logger } from 'pino'
import type { Refusal } from '../domain/errors.ts'
import type { Call } from './call.ts'

/** One line per call: who, what, how it ended (no status: the client was gone), how long it took. Never a key, nor a query, which might carry one. */
export function logCall(log: Logger, call: Call, status: number | undefined, refusal?: Refusal): void {
  const { request, requestId, operation, caller, startedAt } = call
  log.info(
    {
      requestId,
      method: request.method,
      path: safePath(call),
      operation,
      account: caller && Number(caller.accountId),
      key: caller && Number(caller.keyId),
      status,
      code: refusal?.code,
      reason: refusal?.reason,
      durationMs: Math.round((performance.now() - startedAt) * 1_000) / 1_000,
    },
    'call',
  )
}

function safePath({ target, request }: Call): string {
  const path = target?.path ?? request.url ?? ''
  return path.length > 200 || path.includes('petstore_') ? '(withheld)' : path
}
