import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { call as callPublic } from '../support/call.ts'
import { assertRefused, startOperatorService, walk } from '../support/operator.ts'

// Claim links in the admin API: creating, finding, revoking and claiming them.

const publicUrls = { production: 'https://animals.test/shop/v1' }
const service = await startOperatorService({ after }, { config: { publicUrls, claimLinkSeconds: 7_200 } })
const FORM = { type: 'application/x-www-form-urlencoded', body: '' }

let made = 0

async function newAccount(): Promise<bigint> {
  made += 1
  return (await service.call('POST', '/accounts', { body: { name: `shop ${made}`, plan: 'free' } })).value.id
}

const createLink = (accountId: bigint, body: object = {}) =>
  service.call('POST', `/accounts/${accountId}/claim-links`, { body })

/** The path on the public listener, behind the proxy that adds /shop. */
const pathOf = (link: string) => new URL(link).pathname.replace('/shop', '')

test('a link is shown once, leads to the public address, and works as long as the settings say', async () => {
  const id = await newAccount()
  const { value } = await createLink(id)
  const { link, ...rest } = value
  assert.match(link, /^https:\/\/animals\.test\/shop\/claim\/petstore_claim_live_\w{36}$/)
  assert.equal(Date.parse(rest.expiresAt) - Date.parse(rest.createdAt), 7_200_000)
  assert.deepEqual((await service.call('GET', `/claim-links/${rest.id}`)).value, rest)
  assert.equal((await callPublic(service, { path: pathOf(link) })).status, 200)
  const short = (await createLink(id, { validForSeconds: 60 })).value
  assert.equal(Date.parse(short.expiresAt) - Date.parse(short.createdAt), 60_000)
})

test('a claimed link shows its key, when it was claimed and from where', async () => {
  const id = await newAccount()
  const terms = { name: 'till', scope: 'read', networks: ['192.0.2.0/24'] }
  const { link, ...created } = (await createLink(id, { ...terms, keyExpiresAt: '2099-12-31T00:00:00Z' })).value
  service.clock.advance(60_000)
  assert.equal((await callPublic(service, { method: 'POST', path: pathOf(link), ...FORM })).status, 200)
  const [key] = (await service.call('GET', `/keys?account=${id}`)).value
  const { name, scope, networks, expiresAt, createdAt } = key
  assert.deepEqual({ name, scope, networks, expiresAt }, { ...terms, expiresAt: '2099-12-31T00:00:00.000Z' })
  assert.deepEqual((await service.call('GET', `/claim-links/${created.id}`)).value, {
    ...created,
    state: 'claimed',
    claimedAt: createdAt,
    claimedFrom: '127.0.0.1',
    keyId: key.id,
  })
  assertRefused(await service.call('POST', `/claim-links/${created.id}/revoke`), 'conflict', /already been used/)
})

test('links are listed newest first, by account and state, page by page', async () => {
  const id = await newAccount()
  const [first, second, third] = [await createLink(id), await createLink(id), await createLink(id)]
  await createLink(await newAccount())
  await service.call('POST', `/claim-links/${second.value.id}/revoke`)
  const ids = async (query: string) =>
    (await walk(service, `/claim-links?account=${id}${query}`)).items.map(one => one.id)
  const [one, two, three] = [first.value.id, second.value.id, third.value.id]
  assert.deepEqual(await ids('&limit=1'), [three, two, one])
  assert.deepEqual(await ids('&state=open'), [three, one])
  assert.deepEqual(await ids('&state=revoked'), [two])
  assert.deepEqual(await ids(`&before=${three}`), [two, one])
  assertRefused(await service.call('GET', '/claim-links?account=nobody'), 'not_found')
})

test('a key that would expire before its link is refused, by the name of the member', async () => {
  const soon = new Date(service.clock.now + 3_600_000).toISOString()
  const answer = await createLink(await newAccount(), { keyExpiresAt: soon })
  assertRefused(answer, 'invalid_input', /must expire after its link/)
  assert.deepEqual(
    answer.json.errors.map(({ member }: { member: string }) => member),
    ['keyExpiresAt'],
  )
})
