import * as links from '../../domain/administration/sign-in-links.ts'
import * as tokens from '../../domain/administration/tokens.ts'
import { MAX_SIGN_IN_LINK_SECONDS, MIN_SIGN_IN_LINK_SECONDS } from '../../domain/sign-in-link.ts'
import { integer } from '../../schema/fields.ts'
import {
  IssuedSignInLinkJson,
  IssuedTokenJson,
  issuedSignInLinkJson,
  issuedTokenJson,
  RoleOfPeople,
  TokenJson,
  tokenJson,
} from '../../schema/responses/operators.ts'
import { Type } from '../../schema/type.ts'
import { adminCreates } from '../creation.ts'
import { admin } from '../operation.ts'
import { after, closed, instant, labelOf, limit, parseInstant, sourceName } from '../request-fields.ts'

const ANNA = {
  id: 1,
  name: 'Anna',
  role: 'admin',
  source: null,
  hint: 'x7Qk',
  state: 'active',
  createdAt: '2026-01-05T09:30:00.000Z',
  expiresAt: null,
  revokedAt: null,
}
const FRONT_DESK = { ...ANNA, id: 2, name: 'Front desk', role: 'staff', expiresAt: '2099-12-31T00:00:00.000Z' }
const RIVERSIDE = { ...ANNA, id: 3, name: 'Riverside', role: 'feed', source: 'riverside' }

const listTokens = admin('GET', '/tokens', {
  summary: 'List operator tokens',
  query: Type.Object({ after, limit }),
  response: Type.Array(TokenJson),
  examples: { first: { query: { after: 0, limit: 20 }, response: [ANNA, FRONT_DESK] } },
  async handle({ context: { store, now }, query: { after, limit } }) {
    const found = await store.listTokens({ afterId: after, limit: limit + 1 })
    return found.map(token => tokenJson(token, now))
  },
})

const role = RoleOfPeople
const source = sourceName('The only source whose file it can send.')
const name = labelOf('A token name', 'The name of its holder, as shown in the audit log: 1 to 100 characters.')
const expiresAt = instant('When the token expires. If omitted, it never expires.')

const createToken = adminCreates('POST', '/tokens', {
  summary: 'Create an operator token',
  description:
    'Has a role or, for software that sends the file of a source, the name of that source. This response is the only place where the token is shown. The new token cannot have a higher role than your own, and cannot outlast it.',
  body: Type.Object(
    { name, role: Type.Optional(role), source: Type.Optional(source), expiresAt },
    {
      eitherOf: ['role', 'source'],
      described: {
        oneOf: [Type.Object({ name, role, expiresAt }, closed), Type.Object({ name, source, expiresAt }, closed)],
      },
    },
  ),
  response: IssuedTokenJson,
  errors: ['invalid_input', 'not_found'],
  location: '/tokens',
  examples: {
    unlimited: { body: { name: 'Anna', role: 'admin' }, response: { token: '<OPERATOR_TOKEN>', ...ANNA } },
    limited: {
      body: { name: 'Front desk', role: 'staff', expiresAt: '2099-12-31T00:00:00Z' },
      response: { token: '<OPERATOR_TOKEN>', ...FRONT_DESK },
    },
    feed: {
      body: { name: 'Riverside', source: 'riverside' },
      response: { token: '<OPERATOR_TOKEN>', ...RIVERSIDE },
    },
  },
  create({ context, body: { name, role, source, ...body } }) {
    return tokens.createToken(context, { name, role, source, expiresAt: parseInstant('expiresAt', body) })
  },
  answer: issuedTokenJson,
})

const readToken = admin('GET', '/tokens/{tokenId}', {
  summary: 'Get an operator token',
  response: TokenJson,
  examples: { anna: { id: 1, response: ANNA } },
  handle: async ({ context: { store, now }, id }) => tokenJson(await tokens.findToken(store, id), now),
})

const revokeToken = admin('POST', '/tokens/{tokenId}/revoke', {
  summary: 'Revoke an operator token',
  description:
    'The token is refused from its next call, and its sessions end. This cannot be undone. You can also revoke your own token; the command line can always create another one.',
  response: TokenJson,
  errors: ['conflict'],
  examples: {
    frontDesk: { id: 2, response: { ...FRONT_DESK, state: 'revoked', revokedAt: '2026-03-02T12:00:00.000Z' } },
  },
  handle: async ({ context, id }) => tokenJson(await tokens.revokeToken(context, id), context.now),
})

const createSignInLink = adminCreates('POST', '/tokens/{tokenId}/sign-in-links', {
  summary: 'Create a sign-in link',
  description:
    'For a colleague: the link signs one browser in, once, as the holder of the token, who need not know it. The token must not outlast your own. This response is the only place where the link is shown.',
  body: Type.Object({
    validForSeconds: integer(
      MIN_SIGN_IN_LINK_SECONDS,
      MAX_SIGN_IN_LINK_SECONDS,
      'How long the link works, in seconds.',
    ),
  }),
  response: IssuedSignInLinkJson,
  errors: ['conflict'],
  examples: {
    frontDesk: {
      id: 2,
      body: { validForSeconds: 86_400 },
      response: { link: '<SIGN_IN_LINK>', tokenId: 2, expiresAt: '2026-03-03T12:00:00.000Z' },
    },
  },
  create: ({ context, id, body }) => links.createLinkOfToken(context, id, body.validForSeconds),
  answer: issuedSignInLinkJson,
})

export const TOKENS = { listTokens, createToken, readToken, revokeToken, createSignInLink }
