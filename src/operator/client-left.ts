import { ClientGone } from '../http/body.ts'
import type { Call } from '../http/call.ts'

/** Is aborted when the client leaves before its answer: what takes long need not be done for nobody. */
export function signalOf({ response }: Call): AbortSignal {
  const left = new AbortController()
  if (response.closed) left.abort(new ClientGone())
  else response.once('close', () => left.abort(new ClientGone()))
  return left.signal
}
