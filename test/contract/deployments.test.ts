import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Config } from '../../src/app/config.ts'
import { assertRefused, type Call, call } from '../support/call.ts'
import { createPet, createPets, readLinks } from '../support/pets.ts'
import { readRate } from '../support/rate.ts'
import { startTestService } from '../support/service.ts'

// Specification, "Versioning", and contract, "Deployments and versions".

const publicUrls = { production: 'https://api.pets.example/v1', staging: 'https://staging.pets.example/v1' }
const production = await startTestService({ after }, { config: { publicUrls } })
const staging = await startTestService({ after }, { config: { publicUrls, deployment: 'staging' } })

test('one program is production or staging by a setting, and its public base address is a setting with the version in it', async () => {
  assert.equal(production.baseUrl, publicUrls.production)
  assert.equal(staging.baseUrl, publicUrls.staging)
  for (const service of [production, staging]) {
    const { key } = await service.createCaller()
    await createPets(service, key, 2)
    const { next } = readLinks(await call(service, { path: '/v1/pets?limit=1', key }))
    assert.equal(next?.split('?')[0], `${service.baseUrl}/pets`)
  }
})

test('a key only works in its own deployment', async () => {
  const { key } = await production.createCaller()
  const { key: stagingKey } = await staging.createCaller()
  assert.equal((await call(production, { path: '/v1/pets', key })).status, 200)
  assert.equal((await call(staging, { path: '/v1/pets', key: stagingKey })).status, 200)
  assertRefused(await call(staging, { path: '/v1/pets', key }), 'invalid_api_key')
  assertRefused(await call(production, { path: '/v1/pets', key: stagingKey }), 'invalid_api_key')
})

test('a cursor only works in its own deployment', async () => {
  const { key } = await production.createCaller()
  const { key: stagingKey } = await staging.createCaller()
  await createPets(production, key, 2)
  await createPets(staging, stagingKey, 2)
  const { next } = readLinks(await call(production, { path: '/v1/pets?limit=1', key }))
  const { search } = new URL(next ?? '')
  assert.equal((await call(production, { path: `/v1/pets${search}`, key })).status, 200)
  assertRefused(await call(staging, { path: `/v1/pets${search}`, key: stagingKey }), 'invalid_cursor')
})

test('even on one store, the two share neither animals nor keys nor accounts nor counters', async t => {
  const live = await startTestService(t)
  const { key } = await live.createCaller({ plan: 'free' })
  await createPet(live, key)
  await live.close()
  const other = await live.startAnother({ config: { deployment: 'staging' } }).catch((error: Error) => error)
  if (other instanceof Error) {
    assert.match(other.message, /production|staging/, 'or the other one says why it does not start')
    return
  }
  assertRefused(await call(other, { path: '/v1/pets', key }), 'invalid_api_key')
  assert.deepEqual(await other.store.listAccounts({ at: 0 }), [])
  const { key: stagingKey } = await other.createCaller({ plan: 'free' })
  const answer = await call(other, { path: '/v1/pets', key: stagingKey })
  assert.equal(answer.text, '[]')
  assert.equal(readRate(answer).remaining, 59)
})

test('the OpenAPI document names both base addresses', async () => {
  const { json } = await call(production, { path: '/openapi.json' })
  const urls = json.servers.map((server: { url: string }) => server.url)
  for (const url of Object.values(publicUrls)) assert.ok(urls.includes(url), `${url} in ${urls}`)
})

test('the OpenAPI document marks getPet, and nothing else, as deprecated', async () => {
  const { json } = await call(production, { path: '/openapi.json' })
  assert.equal(json.paths['/pets/{petId}'].get.deprecated, true)
  assert.ok(!json.paths['/pets'].get.deprecated)
  assert.ok(!json.paths['/pets'].post.deprecated)
})

test('the public /v1 has three operations and no others', async t => {
  const { key } = await production.createCaller()
  const others: Call[] = [
    { method: 'PUT', path: '/v1/pets/1' },
    { method: 'PATCH', path: '/v1/pets/1' },
    { method: 'DELETE', path: '/v1/pets/1' },
    { method: 'POST', path: '/v1/pets/1' },
    { method: 'DELETE', path: '/v1/pets' },
    { path: '/v1/accounts' },
    { path: '/v1/keys' },
    { path: '/v1/bans' },
    { path: '/v1/categories' },
    { path: '/v1/orders' },
    { path: '/v1/health' },
    { path: '/v1/metrics' },
    { path: '/v1/openapi.json' },
    { path: '/v1/docs' },
    { path: '/metrics' },
    { path: '/health' },
    { path: '/admin' },
  ]
  for (const other of others) {
    await t.test(`${other.method ?? 'GET'} ${other.path}`, async () => {
      assertRefused(
        await call(production, { ...other, key }),
        other.path.startsWith('/v1/pets') ? 'method_not_allowed' : 'route_not_found',
      )
    })
  }
  const { json } = await call(production, { path: '/openapi.json' })
  const operations = Object.values(json.paths as Record<string, Record<string, { operationId?: string }>>)
    .flatMap(path => Object.values(path))
    .flatMap(operation => operation.operationId ?? [])
  assert.deepEqual(operations.toSorted(), ['createPet', 'getPet', 'listPets'])
})

test('the OpenAPI document names the deployment’s own address first, and then the other one if it is set', async t => {
  const serversOf = async (config: Partial<Config>) => {
    const service = await startTestService(t, { config })
    const { json } = await call(service, { path: '/openapi.json' })
    return json.servers.map(({ url }: { url: string }) => (url.startsWith(service.url) ? 'where it listens' : url))
  }
  const { production: live, staging: trial } = publicUrls
  assert.deepEqual(await serversOf({ publicUrls }), [live, trial])
  assert.deepEqual(await serversOf({ publicUrls, deployment: 'staging' }), [trial, live])
  assert.deepEqual(await serversOf({ publicUrls: { production: live } }), [live])
  assert.deepEqual(await serversOf({ publicUrls: { staging: trial } }), ['where it listens', trial])
})
