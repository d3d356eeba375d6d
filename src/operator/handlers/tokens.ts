import * as tokens from '../../domain/administration/tokens.ts'
import { issuedTokenJson, tokenJson } from '../../schema/operator-json.ts'
import { defineCreation } from '../create-once.ts'
import { defineHandler, type Request, type WithBody, type WithQuery } from '../handler.ts'
import { type NewToken, type OldestFirst, parseInstant } from '../request-schemas.ts'

const ANNA = {
  id: 1,
  name: 'Anna',
  role: 'admin',
  hint: 'x7Qk',
  state: 'active',
  createdAt: '2026-01-05T09:30:00.000Z',
  expiresAt: null,
  revokedAt: null,
}
const FRONT_DESK = { ...ANNA, id: 2, name: 'Front desk', role: 'staff', expiresAt: '2099-12-31T00:00:00.000Z' }

export const listTokens = defineHandler({
  id: 'listTokens',
  summary: 'List operator tokens',
  page: 'after',
  examples: { first: { query: { after: 0, limit: 20 }, response: [ANNA, FRONT_DESK] } },
  async handle({ context: { store, now }, query: { after, limit } }: WithQuery<typeof OldestFirst>) {
    const found = await store.listTokens({ afterId: after, limit: limit + 1 })
    return found.map(token => tokenJson(token, now))
  },
})

export const createToken = defineCreation({
  id: 'createToken',
  summary: 'Create an operator token',
  description:
    'This response is the only place where the token is shown. The new token cannot have a higher role than your own, and cannot outlast it.',
  errors: ['invalid_input'],
  location: '/tokens',
  examples: {
    unlimited: { body: { name: 'Anna', role: 'admin' }, response: { token: '<OPERATOR_TOKEN>', ...ANNA } },
    limited: {
      body: { name: 'Front desk', role: 'staff', expiresAt: '2099-12-31T00:00:00Z' },
      response: { token: '<OPERATOR_TOKEN>', ...FRONT_DESK },
    },
  },
  create({ context, body: { name, role, ...body } }: WithBody<typeof NewToken>) {
    return tokens.createToken(context, { name, role, expiresAt: parseInstant('expiresAt', body) })
  },
  answer: issuedTokenJson,
})

export const readToken = defineHandler({
  id: 'readToken',
  summary: 'Get an operator token',
  examples: { anna: { id: 1, response: ANNA } },
  handle: async ({ context: { store, now }, id }: Request) => tokenJson(await tokens.findToken(store, id), now),
})

export const revokeToken = defineHandler({
  id: 'revokeToken',
  summary: 'Revoke an operator token',
  description:
    'The token is refused from its next call, and its sessions end. This cannot be undone. You can also revoke your own token; the command line can always create another one.',
  errors: ['conflict'],
  examples: {
    frontDesk: { id: 2, response: { ...FRONT_DESK, state: 'revoked', revokedAt: '2026-03-02T12:00:00.000Z' } },
  },
  handle: async ({ context, id }: Request) => tokenJson(await tokens.revokeToken(context, id), context.now),
})
