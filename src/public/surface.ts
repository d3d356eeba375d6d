import type { IncomingMessage } from 'node:http'
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
      const headers = limitHeaders(decision ?? anonymous.peek(request, now), now)
      headers.push(...cors(request))
      return headers
    },
    meetUnread(sender, refusal, now) {
      const decision = anonymous.consume(sender, now)
      return { refusal: refusalUnlessAdmitted(decision, now) ?? refusal, headers: limitHeaders(decision, now) }
    },
  }
}
