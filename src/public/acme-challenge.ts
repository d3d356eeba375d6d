import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Answer } from '../http/answer.ts'
import { Refusal } from '../http/refusal.ts'

const CHALLENGES = '/.well-known/acme-challenge/'
/** A token of a certificate authority: it cannot lead out of the folder. */
const TOKEN = /^[\w-]{1,200}$/
/** A token and the fingerprint of an account. */
const MAX_BYTES = 1_000

/** Whether a certificate authority asks for proof that this host belongs to the account which wants the certificate. */
export function isAcmeChallenge(path: string): boolean {
  return path.startsWith(CHALLENGES)
}

/**
 * Answers with the proof that certbot or acme.sh has put into the folder (RFC 8555, section 8.3).
 * @throws Refusal route_not_found
 */
export async function answerAcmeChallenge(path: string, folder: string): Promise<Answer> {
  const token = path.slice(CHALLENGES.length)
  const proof = TOKEN.test(token) ? await readFile(join(folder, CHALLENGES, token)).catch(() => undefined) : undefined
  if (!proof || proof.length > MAX_BYTES) throw new Refusal('route_not_found')
  return {
    status: 200,
    headers: ['Content-Type', 'application/octet-stream', 'Content-Length', String(proof.length)],
    body: proof,
  }
}
