import { Type } from 'typebox'
import { signIn, signOut } from '../../domain/administration/sessions.ts'
import { findUsableToken } from '../../domain/administration/tokens.ts'
import { csrfTokenOf } from '../../domain/session.ts'
import { isoTime } from '../../domain/time.ts'
import { optionalTime } from '../../views.ts'
import { invalidToken, missingToken, operatorOf, refuseOtherOrigins, whyRefused } from '../authenticate.ts'
import { readCookie, setCookie } from '../cookie.ts'
import { type AdminOperation, actorName, defineOperation } from '../operation.ts'
import { SessionShape } from '../shapes.ts'

const session = { path: '/session', tag: 'Session', answer: SessionShape } as const

export const sessionOperations: readonly AdminOperation[] = [
  defineOperation({
    ...session,
    id: 'signIn',
    method: 'POST',
    summary: 'Sign a browser in',
    description: 'Exchanges a token for a session: a cookie that no script can read, for twelve hours at most.',
    role: 'anyone',
    body: Type.Object({
      token: Type.String({
        description: 'An operator token; that of the example is a placeholder.',
        rule: 'an operator token',
      }),
    }),
    status: 201,
    refusals: ['invalid_token', 'csrf_refused'],
    async handle({ call, acting, body }) {
      refuseOtherOrigins(call)
      const token = await findUsableToken(acting, body.token)
      if (!token)
        throw invalidToken(
          'The operator token is not valid here, or not any more.',
          await whyRefused(body.token, acting),
        )
      const operator = operatorOf(token)
      const begun = await signIn({ ...acting, actor: { ...acting.actor, name: actorName(operator) } }, token)
      const maxAgeSeconds = Math.floor((begun.expiresAt - acting.now) / 1_000)
      const isSecure = call.request.headers['x-forwarded-proto'] === 'https'
      return {
        value: { operator, expiresAt: isoTime(begun.expiresAt), csrfToken: begun.csrfToken },
        headers: setCookie({ deployment: acting.deployment, secret: begun.secret, maxAgeSeconds, isSecure }),
      }
    },
  }),
  defineOperation({
    ...session,
    id: 'readSession',
    method: 'GET',
    summary: 'Who is signed in',
    role: 'staff',
    status: 200,
    async handle({ credentials }) {
      if (!credentials) throw missingToken()
      const { operator, expiresAt, sessionSecret } = credentials
      const csrfToken = sessionSecret === undefined ? null : csrfTokenOf(sessionSecret)
      return { value: { operator, expiresAt: optionalTime(expiresAt), csrfToken } }
    },
  }),
  defineOperation({
    ...session,
    id: 'signOut',
    method: 'DELETE',
    summary: 'Sign out',
    description: 'Ends the session of the cookie. A token goes on working.',
    role: 'staff',
    status: 204,
    async handle({ call, acting }) {
      const secret = readCookie(call.request, acting.deployment)
      if (secret !== undefined) await signOut(acting, secret)
      return { headers: setCookie({ deployment: acting.deployment, secret: '', maxAgeSeconds: 0, isSecure: false }) }
    },
  }),
]
