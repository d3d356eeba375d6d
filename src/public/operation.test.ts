import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStore } from '../../test/support/store.ts'
import { INT64_MAX } from '../domain/int64.ts'
import { buildRoutes } from '../http/routes.ts'
import { ListQuery, Pets } from '../schema/pet-schemas.ts'
import { Type } from '../schema/type.ts'
import { cacheAnswers } from './answer-cache.ts'
import type { PublicCall } from './call.ts'
import { buildOpenApi } from './openapi.ts'
import { type Context, type PublicOperation, readWithKey } from './operation.ts'
import { listPets } from './pets.ts'
import { OPERATIONS } from './routes.ts'

// What a further operation could get wrong because of those that exist.

const NOW = Date.UTC(2027, 2, 1)

test('a second list shows a new animal that belongs on it, although its answers are cached', async t => {
  const store = await openStore(t)
  let reads = 0
  const newest = readWithKey('/newest', {
    ...listPets,
    id: 'listNewest',
    status: 200,
    response: Pets,
    async handle({ store }) {
      reads += 1
      const { pets } = await store.listPets({ status: undefined, afterId: 0n, limit: 100 })
      return { json: `[${pets.map(({ id }) => id)}]`, openTo: INT64_MAX }
    },
  })
  const { handle } = newest.serve({ store, baseUrl: 'http://localhost/v1' } as unknown as Context)
  const call = { request: { headers: {} }, target: { path: '/v1/newest', query: '' } } as unknown as PublicCall
  const list = async () => (await handle(call)).body
  for (const _ of Array(3)) assert.equal(await list(), '[]')
  assert.equal(reads, 2, 'cached from its second request')
  await store.createPet({ name: 'Rex', categoryId: 7n, status: 'sold' }, NOW)
  for (const _ of Array(3)) assert.equal(await list(), '[1]')
  assert.equal(reads, 3)
})

test('a read that does not say what its answer depends on does not compile', () => {
  const store = { revision: () => ({ callers: 0, corrections: 0, newestPetId: 0n }), settledPetId: () => 0n }
  const handle = async () => ({ json: '[]' })
  // @ts-expect-error
  cacheAnswers(store, handle, String)
  const row = { ...listPets, query: ListQuery, status: 200 as const, response: Pets, handle }
  // @ts-expect-error
  readWithKey('/others', row)
})

test('a second operation with a parameter of the same name and another range is refused in the document', () => {
  const limit = Type.Integer({
    description: 'How many.',
    minimum: 1,
    maximum: 5,
    default: 1,
    rule: 'an integer from 1 to 5',
  })
  const operations = [...OPERATIONS, others({ query: Type.Object({ limit }) })]
  assert.throws(() => buildOpenApi({}, operations), /Two parameters are named "limit" and differ/)
})

test('operations that share a parameter describe it once, with the examples of both', () => {
  const { limit } = ListQuery.properties
  const examples = { fifty: { query: { limit: 50 }, response: 'firstTwo' } } as const
  const operations = [...OPERATIONS, others({ query: Type.Object({ limit }), examples })]
  const { components, paths } = buildOpenApi({}, operations) as unknown as Document
  assert.equal(components.parameters.limit?.schema.maximum, 100)
  assert.deepEqual(Object.keys(components.parameters.limit?.examples ?? {}), ['firstTwo', 'sold', 'fifty'])
  const reference = { $ref: '#/components/parameters/limit' }
  for (const path of ['/pets', '/others']) assert.deepEqual(paths[path]?.get?.parameters[0], reference)
})

test('a parameter of a path is described by its operation, or refused in the document', () => {
  const name = Type.String({ description: 'The name of the shop.' })
  const shop = others({ path: '/shops/{shop}', parameter: name })
  const { components } = buildOpenApi({}, [...OPERATIONS, shop]) as unknown as Document
  assert.equal(components.parameters.shop?.description, 'The name of the shop.')
  assert.match(components.parameters.petId?.description ?? '', /id of the animal/)
  assert.throws(() => buildOpenApi({}, [others({ path: '/shops/{shop}' })]), /others does not describe .*"shop"/)
  const petIdOfAnother = others({ path: '/others/{petId}', parameter: name })
  assert.throws(() => buildOpenApi({}, [...OPERATIONS, petIdOfAnother]), /Two parameters are named "petId" and differ/)
})

test('a parameter cannot hide a header of requests that has its name', () => {
  const operations = [others({ query: Type.Object({ RequestId: Type.String({ description: 'Another.' }) }) })]
  assert.throws(() => buildOpenApi({}, operations), /Two parameters are named "RequestId"/)
})

test('operations with the same method and path, or the same id, are refused at the start and in the document', () => {
  const serve = () => ({ handle: () => ({ status: 200, headers: [], body: '' }) })
  const same = others({ path: '/pets' })
  assert.throws(() => buildRoutes('/v1', [...OPERATIONS, same], serve), /Two operations are GET \/pets/)
  assert.throws(() => buildOpenApi({}, [...OPERATIONS, same]), /Two operations of \/pets are named "get"/)
  const namesake = others({ id: 'listPets' })
  assert.throws(() => buildRoutes('/v1', [...OPERATIONS, namesake], serve), /Two operations are listPets/)
})

interface Document {
  paths: Record<string, Record<string, { parameters: unknown[] }>>
  components: {
    parameters: Record<string, { description?: string; schema: { maximum?: number }; examples?: object }>
  }
}

/** A further operation, with the given members. */
function others(given: Partial<PublicOperation>): PublicOperation {
  const { query: _, ...list } = OPERATIONS[0] as PublicOperation
  return { ...list, id: 'others', path: '/others', examples: {}, ...given }
}
