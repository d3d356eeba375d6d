import { findAccount } from '../../domain/administration/accounts.ts'
import { findKey } from '../../domain/administration/keys.ts'
import { MAX_REFUSALS, REFUSAL_DAYS } from '../../domain/refusals.ts'
import { RefusalJson, refusalJson } from '../../schema/responses/refusals.ts'
import { Type } from '../../schema/type.ts'
import { abortSignalOf } from '../handler.ts'
import { staff } from '../operation.ts'

const OVER_LIMIT = {
  calledAt: '2026-03-02T11:20:05.250Z',
  keyId: 1,
  keyName: 'Checkout',
  method: 'GET',
  path: '/v1/pets?status=available&limit=100',
  status: 429,
  code: 'rate_limit_exceeded',
  calledFrom: '203.0.113.7',
  userAgent: 'petstore-client/1.2.0',
}

const KEPT = `answered with an error, newest first: at most ${MAX_REFUSALS}, for ${REFUSAL_DAYS} days or as long as usage is kept, whichever is shorter. They appear within seconds. Calls that were refused early, because the service was overloaded, are not among them.`

const listRefusalsOfKey = staff('GET', '/keys/{keyId}/refusals', {
  summary: 'List the last refused and failed calls of a key',
  description: `Returns the last calls with the key that were ${KEPT}`,
  response: Type.Array(RefusalJson),
  examples: { checkout: { id: 1, response: [OVER_LIMIT] } },
  async handle({ call, context: { store }, id }) {
    const key = await findKey(store, id)
    return (await store.listRefusals({ keyId: key.id }, abortSignalOf(call))).map(refusalJson)
  },
})

const listRefusalsOfAccount = staff('GET', '/accounts/{accountId}/refusals', {
  summary: 'List the last refused and failed calls of an account',
  description: `Returns the last calls with any key of the account that were ${KEPT}`,
  response: Type.Array(RefusalJson),
  examples: { acme: { id: 1, response: [OVER_LIMIT] } },
  async handle({ call, context: { store }, id }) {
    const account = await findAccount(store, id)
    return (await store.listRefusals({ accountId: account.id }, abortSignalOf(call))).map(refusalJson)
  },
})

export const REFUSALS = { listRefusalsOfKey, listRefusalsOfAccount }
