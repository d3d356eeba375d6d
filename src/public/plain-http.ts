import type { Answer } from '../http/answer.ts'
import type { Awaitable } from '../http/awaitable.ts'
import { Refusal } from '../http/refusal.ts'
import type { Target } from '../http/target.ts'
import { answerAcmeChallenge, isAcmeChallenge } from './acme-challenge.ts'
import type { PublicCall } from './call.ts'
import { needsKey } from './routes.ts'

interface PlainHttp {
  /** The target of the redirect: never the request's `Host`, which anyone can choose. */
  publicUrl: string | undefined
  /** The folder with proofs for certificate authorities. */
  acmeFolder: string | undefined
}

/**
 * The answer to a call over plain HTTP if the listener speaks HTTPS. Page requests are redirected. API calls are not: such a call may have
 * sent its key unencrypted, and must not appear to work.
 * @throws Refusal https_required, route_not_found, method_not_allowed
 */
export function answerPlainHttp(
  { request }: PublicCall,
  { path, query }: Target,
  { publicUrl, acmeFolder }: PlainHttp,
): Awaitable<Answer> {
  if (acmeFolder !== undefined && isAcmeChallenge(path)) {
    return answerAcmeChallenge(request.method ?? '', path, acmeFolder)
  }
  if (!publicUrl?.startsWith('https://')) throw new Refusal('https_required', `HTTPS is required.${adviceOn(request)}`)
  if (needsKey(path) || path === '*') {
    throw new Refusal('https_required', `HTTPS is required: call ${publicUrl}.${adviceOn(request)}`)
  }
  const location = publicUrl.replace(/\/v1$/, '') + path + (query === '' ? '' : `?${query}`)
  // A browser could otherwise follow the redirect for years, even to an address that was set by mistake.
  return { status: 308, headers: ['Location', location, 'Cache-Control', 'no-store', 'Content-Length', '0'], body: '' }
}

function adviceOn({ headers }: PublicCall['request']): string {
  if (headers.authorization === undefined) return ''
  return ' The key that you sent could be read by anyone on the network path; have it replaced.'
}
