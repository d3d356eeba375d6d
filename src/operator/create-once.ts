import type { AdminContext } from '../domain/administration/context.ts'
import { ActionRefused } from '../domain/permit.ts'
import { type RepeatableRequest, repeatableRequest, unseal } from '../domain/repeatable-request.ts'
import type { Call } from '../http/call.ts'
import { readIdempotencyKey } from '../http/idempotency-key.ts'
import { Refusal } from '../http/refusal.ts'
import type { Request } from './handler.ts'

/**
 * Creates something, or returns what the same request created within the last 24 hours. Its answer must follow from what is returned here,
 * so that it is the same each time.
 * @throws Refusal idempotency_in_progress, idempotency_key_reused
 */
export async function createOnce<Created>(
  { context, running, headers }: Request,
  create: () => Promise<Created>,
): Promise<Created> {
  const { request } = context
  if (!request) return create()
  const outcome = await running.carryOut(request, () => createOrReplay(context, request, create))
  if (!('created' in outcome)) {
    throw new Refusal(outcome.outcome === 'in_progress' ? 'idempotency_in_progress' : 'idempotency_key_reused')
  }
  if (outcome.outcome === 'replayed') headers.push('Idempotency-Replayed', 'true')
  return outcome.created
}

/**
 * The request of a call whose body has arrived; undefined if it has no idempotency key.
 * @throws Refusal invalid_idempotency_key
 */
export function readRepeatable(
  { request, target }: Call,
  { actor: { permit } }: AdminContext,
  body: Uint8Array,
): RepeatableRequest | undefined {
  const key = readIdempotencyKey(request)
  if (key === undefined || !permit) return undefined
  const { tokenId } = permit
  return repeatableRequest(
    { tokenId, key },
    { method: request.method ?? '', target: `${target?.path}?${target?.query}`, body },
  )
}

type Outcome<Created> = { outcome: 'created' | 'replayed'; created: Created } | { outcome: 'mismatch' }

async function createOrReplay<Created>(
  context: AdminContext,
  request: RepeatableRequest,
  create: () => Promise<Created>,
): Promise<Outcome<Created>> {
  const earlier = await findEarlier<Created>(context, request)
  if (earlier) return earlier
  try {
    return { outcome: 'created', created: await create() }
  } catch (error) {
    if (error instanceof ActionRefused && error.reason !== 'repeated') throw error
    // Another instance may have carried out the same request meanwhile, or this one without learning of it.
    const meanwhile = await findEarlier<Created>(context, request).catch(() => undefined)
    if (!meanwhile) throw error
    return meanwhile
  }
}

async function findEarlier<Created>(
  { store, now }: AdminContext,
  request: RepeatableRequest,
): Promise<Outcome<Created> | undefined> {
  const found = await store.findCreation(request.key, now)
  if (!found) return undefined
  if (found.fingerprint !== request.fingerprint) return { outcome: 'mismatch' }
  return { outcome: 'replayed', created: unseal(request, found.sealed) as Created }
}
