import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Answer } from '../http/answer.ts'
import type { Awaitable } from '../http/awaitable.ts'
import { Refusal } from '../http/refusal.ts'
import type { Target } from '../http/target.ts'
import type { PublicCall } from './call.ts'
import { needsKey } from './routes.ts'

/** Here, a certificate authority asks for proof that the owner of this host requested the certificate. */
const CHALLENGES = '/.well-known/acme-challenge/'
/** A token of a certificate authority. It cannot be a path out of the folder. */
const TOKEN = /^[\w-]{1,200}$/
/** A proof is a token and the fingerprint of an account. */
const MAX_BYTES = 1_000

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
  if (acmeFolder !== undefined && path.startsWith(CHALLENGES)) {
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

/**
 * Returns the proof that certbot or acme.sh has put in the folder (RFC 8555, section 8.3).
 * @throws Refusal route_not_found, method_not_allowed
 */
async function answerAcmeChallenge(method: string, path: string, folder: string): Promise<Answer> {
  if (method !== 'GET' && method !== 'HEAD') {
    throw new Refusal('method_not_allowed', 'This path allows GET, HEAD.', { headers: { Allow: 'GET, HEAD' } })
  }
  const token = path.slice(CHALLENGES.length)
  const proof = TOKEN.test(token) ? await readProof(join(folder, CHALLENGES, token)).catch(() => undefined) : undefined
  if (!proof) throw new Refusal('route_not_found')
  return {
    status: 200,
    headers: ['Content-Type', 'application/octet-stream', 'Content-Length', String(proof.length)],
    body: proof,
  }
}

/** The content of a file, unless it is too large to be a proof. */
async function readProof(file: string): Promise<Buffer | undefined> {
  const { size } = await stat(file)
  return size > MAX_BYTES ? undefined : readFile(file)
}
