import { PetstoreClient, type RateLimit, type WaitEvent } from '../src/index.ts'

/** Never run: code that the compiler must accept or reject (`npm run check`). */
export async function types(client: PetstoreClient): Promise<void> {
  const page = await client.pets.list({ status: 'sold', limit: 10 })
  for (const { id, categoryId, name } of page.pets) [id + categoryId, name.length] satisfies [bigint, number]
  for await (const pet of client.pets.list()) pet.status satisfies 'available' | 'pending' | 'sold'
  for await (const pet of page) pet.id satisfies bigint
  await client.pets.create({ name: 'Rex', categoryId: 7 }, { signal: AbortSignal.timeout(1_000), timeoutMs: 500 })
  await client.pets.create({ name: 'Rex', categoryId: 7n, status: undefined })
  client.rateLimit satisfies RateLimit | undefined
  await client.pets.list({ maxRetries: 0 })
  const onWait = ({ until, waitMs, error }: WaitEvent) => [until, waitMs, error?.code] satisfies unknown[]
  new PetstoreClient({ baseUrl: '', apiKey: '', onWait, onRequest: console.log, onResponse: async () => {} })

  // @ts-expect-error: unknown status
  client.pets.list({ status: 'lost' })
  // @ts-expect-error: a number, not a string
  client.pets.list({ limit: '10' })
  // @ts-expect-error: unknown option
  client.pets.list({ page: 2 })
  // @ts-expect-error: a page must be awaited first
  client.pets.list().pets
  // @ts-expect-error: only `for await` iterates over all animals
  for (const pet of client.pets.list()) void pet
  // @ts-expect-error: an id is an integer, not a string
  await client.pets.get('1')
  // @ts-expect-error: categoryId is required
  await client.pets.create({ name: 'Rex' })
  // @ts-expect-error: the service assigns the id
  await client.pets.create({ id: 1n, name: 'Rex', categoryId: 7 })
  // @ts-expect-error: results are read-only
  page.pets.push(page.pets[0])
  // @ts-expect-error: a bigint is not a number
  page.pets[0]?.id satisfies number
  // @ts-expect-error: undefined before the first response
  client.rateLimit.remaining
}
