import { missingToken } from '../authenticate.ts'
import { Streamed } from '../handler.ts'
import { staff } from '../operation.ts'

export const EVENT_TYPES = ['text/event-stream']

const listenToChanges = staff('GET', '/events', {
  summary: 'Listen to changes',
  description:
    'Sends a server-sent event within a second of any change. Each event has the versions of the animals, of the accounts (with their keys, claim links and bans) and of the audit log, which changes with every action of an operator. Equal versions mean that nothing has changed. The stream ends when the session or the token is no longer valid, and when the service stops; browsers then reconnect.',
  download: EVENT_TYPES,
  examples: {
    beginning: {
      response:
        'retry: 5000\nevent: versions\ndata: {"animals":"1000.7","accounts":"42","audit":"310.100"}\n\nevent: versions\ndata: {"animals":"1001.7","accounts":"42","audit":"311.100"}\n\n',
    },
  },
  async handle({ context, credentials, events }) {
    const { permit } = context.actor
    if (!permit) throw missingToken()
    return new Streamed('text/event-stream', await events.open({ permit, expiresAt: credentials?.expiresAt }))
  },
})

export const EVENTS = { listenToChanges }
