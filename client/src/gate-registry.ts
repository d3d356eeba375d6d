import { SYSTEM_CLOCK } from './clock.ts'
import { Gate } from './gate.ts'

/** By address and key, in the order in which a client was last created for each: the first is the first to be evicted. */
const gates = new Map<string, Gate>()
/** Existing clients keep an evicted gate, but a new client with the same key gets a new one. */
const MAX_GATES = 10_000

/** The gate of a key: the same for all clients of this process that use the key, even if a new client is created for every call. */
export function gateOf(baseUrl: string, apiKey: string): Gate {
  const id = `${baseUrl} ${apiKey}`
  const gate = gates.get(id) ?? new Gate(SYSTEM_CLOCK, Math.random)
  gates.delete(id)
  gates.set(id, gate)
  const [oldest] = gates.keys()
  if (oldest !== undefined && gates.size > MAX_GATES) gates.delete(oldest)
  return gate
}
