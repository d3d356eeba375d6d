import type { IncomingMessage } from 'node:http'
import { whenReady } from '../http/awaitable.ts'
import type { Surface } from '../http/server.ts'
import { refusalUnlessAdmitted } from './admit.ts'
import { type Gates, passGates } from './gates.ts'
import { limitHeaders } from './limit-headers.ts'

interface Dependencies extends Gates {
  cors(request: IncomingMessage): readonly string[]
}

/** The public API: every call passes the gates, and every answer tells the caller how it stands. */
export function buildPublicSurface(dependencies: Dependencies): Surface {
  const { anonymous, cors } = dependencies
  return {
    answer: call => passGates(call, dependencies),
    headersOf({ request, decision, now }) {
      return whenReady(decision ?? anonymous.peek(request, now), known => {
        const headers = limitHeaders(known)
        headers.push(...cors(request))
        return headers
      })
    },
    meetUnread(sender, refusal, now) {
      return whenReady(anonymous.consume(sender, now), decision => ({
        refusal: refusalUnlessAdmitted(decision) ?? refusal,
        headers: limitHeaders(decision),
      }))
    },
  }
}
