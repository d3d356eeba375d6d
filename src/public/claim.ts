import { type Claimant, claimKey, examineClaim } from '../domain/administration/claim-key.ts'
import type { Deployment } from '../domain/deployment.ts'
import type { ClaimLinkStore } from '../domain/store/claim-links.ts'
import type { Answer } from '../http/answer.ts'
import { readForm } from '../http/body.ts'
import type { ClientAddress } from '../http/client-address.ts'
import { preparedLinesOf } from '../http/header-lines.ts'
import { Refusal } from '../http/refusal.ts'
import type { Route } from '../http/routes.ts'
import { mediaTypeOf } from '../pages/media-type.ts'
import { prefersPage } from '../pages/wants-page.ts'
import { CLAIM_PATH } from '../schema/claim-address.ts'
import type { PublicCall } from './call.ts'
import { CLAIM_HEADERS, type Claimed, OPEN_CLAIM_HEADERS, renderClaimPage } from './claim-page.ts'

interface Dependencies {
  store: ClaimLinkStore
  deployment: Deployment
  /** The public base address, with /v1. */
  baseUrl: string
  clientAddress: ClientAddress
  /** The current time: unlike `call.now`, it moves on while a form arrives. */
  now(): number
}

/**
 * The page of a claim link, for people. GET only describes the key, because programs that preview links also send it. The button sends the
 * POST that issues the key. Every call counts against the limit of the client's network before it gets here, so guessing is limited.
 */
export function claimRoute({ store, deployment, baseUrl, clientAddress, now }: Dependencies): Route<PublicCall> {
  const claimantOf = ({ request }: PublicCall): Claimant => {
    return { store, deployment, now: now(), origin: clientAddress(request)?.toString() ?? 'unknown' }
  }
  async function show(call: PublicCall, secret: string): Promise<Answer> {
    return answerOf(call, await examineClaim(claimantOf(call), secret), baseUrl)
  }
  async function claim(call: PublicCall, secret: string): Promise<Answer> {
    await readForm(call)
    return answerOf(call, await claimKey(claimantOf(call), secret), baseUrl)
  }
  const operations = { GET: { handle: show }, POST: { handle: claim } }
  return { path: `${CLAIM_PATH}/{secret}`, headers: CLAIM_HEADERS, operations }
}

/** @throws Refusal for a link that does not work: a page for browsers, JSON for programs */
async function answerOf(call: PublicCall, claimed: Claimed, baseUrl: string): Promise<Answer> {
  const page = await pageOf(claimed, baseUrl)
  if (claimed.state === 'open') call.pathLines = OPEN_CLAIM_LINES
  if (claimed.state === 'open' || claimed.state === 'issued') return { status: 200, ...page }
  const { code, message } = REFUSALS[claimed.state]
  const reason = 'link' in claimed ? `claim link ${claimed.link.id}: ${claimed.state}` : 'no claim link'
  throw new Refusal(code, message, { reason, ...(prefersPage(call.request.headers) && { page }) })
}

const OPEN_CLAIM_LINES = preparedLinesOf(OPEN_CLAIM_HEADERS)

const VOID = 'This claim link no longer works.'
const REFUSALS = {
  unknown: { code: 'route_not_found', message: 'This claim link is not valid.' },
  suspended: { code: 'conflict', message: 'This claim link cannot be used at the moment.' },
  claimed: { code: 'gone', message: VOID },
  expired: { code: 'gone', message: VOID },
  revoked: { code: 'gone', message: VOID },
} as const

async function pageOf(claimed: Claimed, baseUrl: string): Promise<{ headers: readonly string[]; body: string }> {
  const body = await renderClaimPage(claimed, baseUrl)
  return { headers: ['Content-Type', mediaTypeOf('/'), 'Content-Length', String(Buffer.byteLength(body))], body }
}
