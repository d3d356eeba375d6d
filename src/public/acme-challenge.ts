import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Answer } from '../http/answer.ts'
import { Refusal } from '../http/refusal.ts'

const CHALLENGES = '/.well-known/acme-challenge/'
/** A token of a certificate authority. It cannot be a path out of the folder. */
const TOKEN = /^[\w-]{1,200}$/
/** A proof is a token and the fingerprint of an account. */
const MAX_BYTES = 1_000

/** Whether a certificate authority is requesting proof that the owner of this host requested the certificate. */
export function isAcmeChallenge(path: string): boolean {
  return path.startsWith(CHALLENGES)
}

/**
 * Returns the proof that certbot or acme.sh has put in the folder (RFC 8555, section 8.3).
 * @throws Refusal route_not_found, method_not_allowed
 */
export async function answerAcmeChallenge(method: string, path: string, folder: string): Promise<Answer> {
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
