import { SYSTEM_CLOCK } from './clock.ts'
import { Gate } from './gate.ts'

/** By address and key. The first is the one for which no client has been made for longest. */
const gates = new Map<string, Gate>()
/** A client keeps its gate beyond that, but a new client with the same key gets another one. */
const MAX_GATES = 10_000

/** The gate of a key: the same for all clients of this process that use the key, even if a new client is made for every call. */
export function gateOf(baseUrl: string, apiKey: string): Gate {
  const id = `${baseUrl} ${apiKey}`
  const gate = gates.get(id) ?? new Gate(SYSTEM_CLOCK, Math.random)
  gates.delete(id)
  gates.set(id, gate)
  const [oldest] = gates.keys()
  if (oldest !== undefined && gates.size > MAX_GATES) gates.delete(oldest)
  return gate
}
