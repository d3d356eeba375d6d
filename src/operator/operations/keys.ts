import { Type } from 'typebox'
import { liftBan, listBans } from '../../domain/administration/bans.ts'
import {
  findKey,
  issueKey,
  LONGEST_OVERLAP_SECONDS,
  listKeys,
  revokeKey,
  rotateKey,
  USUAL_OVERLAP_SECONDS,
} from '../../domain/administration/keys.ts'
import { banView, issuedKeyView, keyView } from '../../views.ts'
import { type AdminOperation, defineOperation } from '../operation.ts'
import { AFTER, BEFORE, pageReply } from '../page.ts'
import { BanShape, IssuedKeyShape, KeyShape, Label } from '../shapes.ts'
import { Instant, parseInstant } from '../times.ts'

const tag = 'Keys and bans'

export const keyOperations: readonly AdminOperation[] = [
  defineOperation({
    id: 'listKeys',
    method: 'GET',
    path: '/keys',
    tag,
    summary: 'List API keys',
    role: 'staff',
    query: Type.Object({
      account: Type.Optional(
        Type.String({
          description: 'Only of this account: its id or its name.',
          minLength: 1,
          rule: 'an id or a name',
        }),
      ),
      ...AFTER,
    }),
    status: 200,
    answer: Type.Array(KeyShape),
    isPage: true,
    refusals: ['not_found'],
    async handle({ call, acting, query: { account, after, limit } }) {
      const keys = await listKeys(acting.store, account, { afterId: after, limit: limit + 1 })
      return pageReply(call, { limit, edge: 'after' }, keys, key => keyView(key, acting.now))
    },
  }),
  defineOperation({
    id: 'issueKey',
    method: 'POST',
    path: '/accounts/{accountId}/keys',
    tag,
    summary: 'Issue an API key',
    description: 'The key stands in this answer and nowhere else.',
    role: 'admin',
    body: Type.Object({
      name: Type.Optional(Type.String({ rule: 'a text', described: Label('What to call it: 1 to 100 characters.') })),
      expiresAt: Type.Optional(Instant('From when on it does not work.')),
    }),
    status: 201,
    answer: IssuedKeyShape,
    refusals: ['invalid_input', 'not_found'],
    async handle({ acting, parameter, body: { name, expiresAt } }) {
      const issued = await issueKey(acting, { account: parameter, name, expiresAt: parseInstant(expiresAt) })
      return { value: issuedKeyView(issued), headers: ['Location', `/admin/v1/keys/${issued.id}`] }
    },
  }),
  defineOperation({
    id: 'readKey',
    method: 'GET',
    path: '/keys/{keyId}',
    tag,
    summary: 'Read one API key',
    role: 'staff',
    status: 200,
    answer: KeyShape,
    refusals: ['not_found'],
    handle: async ({ acting, parameter }) => ({ value: keyView(await findKey(acting.store, parameter), acting.now) }),
  }),
  defineOperation({
    id: 'rotateKey',
    method: 'POST',
    path: '/keys/{keyId}/rotate',
    tag,
    summary: 'Rotate an API key',
    description:
      'Issues a successor with the same name and expiry. The old key goes on working for the overlap, never longer than it would have anyway.',
    role: 'admin',
    body: Type.Object({
      overlapSeconds: Type.Integer({
        description: `Seconds for which both keys work, ${USUAL_OVERLAP_SECONDS} if left out.`,
        minimum: 0,
        maximum: LONGEST_OVERLAP_SECONDS,
        default: USUAL_OVERLAP_SECONDS,
        rule: `an integer from 0 to ${LONGEST_OVERLAP_SECONDS}`,
      }),
    }),
    status: 201,
    answer: IssuedKeyShape,
    refusals: ['not_found', 'conflict'],
    async handle({ acting, parameter, body: { overlapSeconds } }) {
      const { issued } = await rotateKey(acting, { keyId: parameter, overlapSeconds })
      return { value: issuedKeyView(issued), headers: ['Location', `/admin/v1/keys/${issued.id}`] }
    },
  }),
  defineOperation({
    id: 'revokeKey',
    method: 'POST',
    path: '/keys/{keyId}/revoke',
    tag,
    summary: 'Revoke an API key',
    description: 'For good, from its next call on.',
    role: 'admin',
    status: 200,
    answer: KeyShape,
    refusals: ['not_found', 'conflict'],
    handle: async ({ acting, parameter }) => ({ value: keyView(await revokeKey(acting, parameter), acting.now) }),
  }),
  defineOperation({
    id: 'listBans',
    method: 'GET',
    path: '/bans',
    tag,
    summary: 'List the bans in force',
    role: 'staff',
    query: Type.Object(BEFORE),
    status: 200,
    answer: Type.Array(BanShape),
    isPage: true,
    async handle({ call, acting, query: { before, limit } }) {
      const bans = await listBans(acting.store, acting.now, { beforeId: before, limit: limit + 1 })
      return pageReply(call, { limit, edge: 'before' }, bans.map(banView), ban => ban)
    },
  }),
  defineOperation({
    id: 'liftBan',
    method: 'POST',
    path: '/keys/{keyId}/lift-ban',
    tag,
    summary: 'Lift the ban of a key',
    description: 'At once. It still counts when the length of the next one is measured.',
    role: 'admin',
    status: 200,
    answer: BanShape,
    refusals: ['not_found', 'conflict'],
    handle: async ({ acting, parameter }) => ({ value: banView(await liftBan(acting, parameter)) }),
  }),
]
