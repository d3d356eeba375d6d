import * as sessions from '../../domain/administration/sessions.ts'
import { csrfTokenOf, MAX_SESSIONS_PER_TOKEN } from '../../domain/session.ts'
import { isoTime, optionalIsoTime } from '../../domain/time.ts'
import { Refusal } from '../../http/refusal.ts'
import { SessionJson } from '../../schema/responses/operators.ts'
import { Type } from '../../schema/type.ts'
import {
  actorName,
  missingToken,
  onlyForFeed,
  operatorOf,
  overLink,
  refuseOtherOrigins,
  requireSignInLink,
  requireToken,
} from '../authenticate.ts'
import { readCookies, setCookie } from '../cookie.ts'
import { anyone, staff } from '../operation.ts'
import { closed } from '../request-fields.ts'

const ANNA = {
  operator: { tokenId: 1, name: 'Anna', role: 'admin' },
  expiresAt: '2026-03-02T23:00:00.000Z',
  csrfToken: '<CSRF_TOKEN>',
}

const token = Type.String({
  description: 'An operator token. The one in the example is a placeholder.',
  rule: 'an operator token',
})
const link = Type.String({
  description:
    'The secret of a sign-in link: the part of its address after the `#`. The one in the example is a placeholder.',
  rule: 'the secret of a sign-in link',
})

/** Has exactly one of the two. */
const SignIn = Type.Object(
  { token: Type.Optional(token), link: Type.Optional(link) },
  {
    eitherOf: ['token', 'link'],
    described: { oneOf: [Type.Object({ token }, closed), Type.Object({ link }, closed)] },
  },
)

const signIn = anyone('POST', '/session', {
  summary: 'Sign in',
  description: `Starts a session of up to twelve hours and sets its cookie, which scripts cannot read. Ends the browser's previous session. A token can have ${MAX_SESSIONS_PER_TOKEN} sessions; starting another ends the oldest.`,
  body: SignIn,
  status: 201,
  response: SessionJson,
  errors: ['invalid_token', 'csrf_refused', 'role_insufficient'],
  setsCookie: true,
  examples: {
    byToken: { body: { token: '<OPERATOR_TOKEN>' }, response: ANNA },
    byLink: { body: { link: '<SIGN_IN_LINK>' }, response: ANNA },
  },
  async handle({ call, context, authentication, body, headers }) {
    const { request } = call
    const { deployment, now } = context
    refuseOtherOrigins(call)
    const { token: given, link } = body
    if (given !== undefined && link !== undefined) {
      throw new Refusal('invalid_body', 'Send either token or link, not both.')
    }
    const token = await (link === undefined
      ? requireToken(call, given ?? '', authentication)
      : requireSignInLink(call, link, authentication))
    if (token.role === 'feed') throw onlyForFeed(token.source ?? '')
    authentication.credentialLimiter.admitSignIn(token, now)
    const operator = operatorOf(token)
    const permit = { tokenId: operator.tokenId, role: operator.role }
    const actor = { ...context.actor, name: actorName(operator), permit }
    const former = readCookies(request, deployment)
    const session = await (link === undefined
      ? sessions.signIn({ ...context, actor }, token, former)
      : sessions.signInByLink({ ...context, actor }, { token, secret: link }, former))
    if (!session) throw overLink()
    authentication.credentialLimiter.rememberSession(session.secret)
    const maxAgeSeconds = Math.floor((session.expiresAt - now) / 1_000)
    headers.push(...setCookie(request, deployment, { secret: session.secret, maxAgeSeconds }))
    return { operator, expiresAt: isoTime(session.expiresAt), csrfToken: session.csrfToken }
  },
})

const readSession = staff('GET', '/session', {
  summary: 'Get the session',
  response: SessionJson,
  examples: { anna: { response: ANNA } },
  async handle({ credentials }) {
    if (!credentials) throw missingToken()
    const { operator, expiresAt, sessionSecret } = credentials
    return {
      operator,
      expiresAt: optionalIsoTime(expiresAt) ?? null,
      csrfToken: sessionSecret === undefined ? null : csrfTokenOf(sessionSecret),
    }
  },
})

const signOut = staff('DELETE', '/session', {
  summary: 'Sign out',
  description: 'Ends the session that the cookie identifies. The token keeps working.',
  setsCookie: true,
  examples: { anna: {} },
  async handle({ call: { request }, context, headers }) {
    const { deployment } = context
    for (const secret of readCookies(request, deployment) ?? []) await sessions.signOut(context, secret)
    headers.push(...setCookie(request, deployment, { secret: '', maxAgeSeconds: 0 }))
  },
})

export const SESSION = { signIn, readSession, signOut }
