import { Type } from 'typebox'
import { signIn, signOut } from '../../domain/administration/sessions.ts'
import { csrfTokenOf } from '../../domain/session.ts'
import { isoTime } from '../../domain/time.ts'
import { optionalTime } from '../../views.ts'
import { missingToken, operatorOf, refuseOtherOrigins, requireToken } from '../authenticate.ts'
import { readCookies, setCookie } from '../cookie.ts'
import { type AdminOperation, actorName, defineOperation } from '../operation.ts'
import { SessionShape } from '../shapes.ts'

const session = { path: '/session', tag: 'Session', answer: SessionShape } as const

export const sessionOperations: readonly AdminOperation[] = [
  defineOperation({
    ...session,
    id: 'signIn',
    method: 'POST',
    summary: 'Sign a browser in',
    description:
      'Exchanges a token for a session: a cookie that no script can read, for twelve hours at most. It ends the session that the browser had before, and the oldest where the token has more than 20.',
    role: 'anyone',
    body: Type.Object({
      token: Type.String({
        description: 'An operator token; that of the example is a placeholder.',
        rule: 'an operator token',
      }),
    }),
    status: 201,
    refusals: ['invalid_token', 'csrf_refused'],
    async handle({ call, acting, authentication, body }) {
      const { request } = call
      const { deployment } = acting
      refuseOtherOrigins(call)
      const token = await requireToken(call, body.token, authentication)
      authentication.brake.admitSignIn(token, acting.now)
      const operator = operatorOf(token)
      const former = readCookies(request, deployment)
      const begun = await signIn({ ...acting, actor: { ...acting.actor, name: actorName(operator) } }, token, former)
      authentication.brake.rememberSession(begun.secret)
      const maxAgeSeconds = Math.floor((begun.expiresAt - acting.now) / 1_000)
      return {
        value: { operator, expiresAt: isoTime(begun.expiresAt), csrfToken: begun.csrfToken },
        headers: setCookie(request, deployment, { secret: begun.secret, maxAgeSeconds }),
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
      const { deployment } = acting
      for (const secret of readCookies(call.request, deployment) ?? []) await signOut(acting, secret)
      return { headers: setCookie(call.request, deployment, { secret: '', maxAgeSeconds: 0 }) }
    },
  }),
]
