import { findUsableSession } from '../../domain/administration/sessions.ts'
import { findToken } from '../../domain/administration/tokens.ts'
import { isUsable } from '../../domain/operator.ts'
import type { Store } from '../../domain/store.ts'
import { type Credentials, missingToken } from '../authenticate.ts'
import { defineHandler, type Request, Streamed } from '../handler.ts'

export const EVENT_TYPES = ['text/event-stream']

export const listenToChanges = defineHandler({
  id: 'listenToChanges',
  summary: 'Listen to changes',
  description:
    'Sends a server-sent event within a second of any change. Each event has the versions of the animals, of the accounts (with their keys, claim links and bans) and of the audit log, which changes with every action of an operator. Equal versions mean that nothing has changed. The stream ends when the session or the token is no longer valid, and when the service stops; browsers then reconnect.',
  examples: {
    beginning: {
      response:
        'retry: 5000\nevent: versions\ndata: {"animals":"1000.7","accounts":"42","audit":"310.100"}\n\nevent: versions\ndata: {"animals":"1001.7","accounts":"42","audit":"311.100"}\n\n',
    },
  },
  async handle({ context: { store }, credentials, events, clock }: Request) {
    if (!credentials) throw missingToken()
    const { operator, expiresAt } = credentials
    const isValid = () => areValid(credentials, store, clock())
    return new Streamed('text/event-stream', await events.open({ tokenId: operator.tokenId, expiresAt, isValid }))
  },
})

/** Whether credentials that were valid before still are. */
async function areValid({ operator, sessionSecret }: Credentials, store: Store, now: number): Promise<boolean> {
  if (sessionSecret !== undefined) return (await findUsableSession({ store, now }, sessionSecret)) !== undefined
  return isUsable(await findToken(store, String(operator.tokenId)), now)
}
