import { SYSTEM_CLOCK } from './clock.ts'
import { Gate } from './gate.ts'

const gates = new Map<string, WeakRef<Gate>>()
const forget = new FinalizationRegistry<string>(id => {
  if (!gates.get(id)?.deref()) gates.delete(id)
})

/** The gate of a key: the same for all clients of this process that use it. */
export function gateOf(baseUrl: string, apiKey: string): Gate {
  const id = `${baseUrl} ${apiKey}`
  const known = gates.get(id)?.deref()
  if (known) return known
  const gate = new Gate(SYSTEM_CLOCK, Math.random)
  gates.set(id, new WeakRef(gate))
  forget.register(gate, id)
  return gate
}
