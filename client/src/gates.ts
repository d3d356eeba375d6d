import { SYSTEM_CLOCK } from './clock.ts'
import { Gate } from './gate.ts'

const gates = new Map<string, WeakRef<Gate>>()
const forget = new FinalizationRegistry<string>(id => {
  if (!gates.get(id)?.deref()) gates.delete(id)
})

/** Those used last are kept: who makes a client for every call must not forget between two of them how long to wait. */
const kept = new Set<Gate>()
const KEPT = 100

/** The gate of a key: the same for all clients of this process that use it. */
export function gateOf(baseUrl: string, apiKey: string): Gate {
  const id = `${baseUrl} ${apiKey}`
  const gate = gates.get(id)?.deref() ?? openGate(id)
  kept.delete(gate)
  kept.add(gate)
  for (const oldest of kept) {
    if (kept.size <= KEPT) break
    kept.delete(oldest)
  }
  return gate
}

function openGate(id: string): Gate {
  const gate = new Gate(SYSTEM_CLOCK, Math.random)
  gates.set(id, new WeakRef(gate))
  forget.register(gate, id)
  return gate
}
