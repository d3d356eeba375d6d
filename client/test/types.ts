import type { PetstoreClient, RateLimit } from '../src/index.ts'

/** Never run: what the compiler must allow, and what it must not (`npm run check`). */
export async function types(client: PetstoreClient): Promise<void> {
  const page = await client.pets.list({ status: 'sold', limit: 10 })
  for (const { id, categoryId, name } of page.pets) [id + categoryId, name.length] satisfies [bigint, number]
  for await (const pet of client.pets.list()) pet.status satisfies 'available' | 'pending' | 'sold'
  for await (const pet of page) pet.id satisfies bigint
  await client.pets.create({ name: 'Rex', categoryId: 7 }, { signal: AbortSignal.timeout(1_000), timeoutMs: 500 })
  await client.pets.create({ name: 'Rex', categoryId: 7n, status: undefined })
  client.rateLimit satisfies RateLimit | undefined

  // @ts-expect-error: no such status
  client.pets.list({ status: 'lost' })
  // @ts-expect-error: a number, not its text
  client.pets.list({ limit: '10' })
  // @ts-expect-error: no such option
  client.pets.list({ page: 2 })
  // @ts-expect-error: a page has to be awaited first
  client.pets.list().pets
  // @ts-expect-error: all animals are walked through by `for await` alone
  for (const pet of client.pets.list()) void pet
  // @ts-expect-error: an id is an integer, not its text
  await client.pets.get('1')
  // @ts-expect-error: a category is needed
  await client.pets.create({ name: 'Rex' })
  // @ts-expect-error: the service gives the id
  await client.pets.create({ id: 1n, name: 'Rex', categoryId: 7 })
  // @ts-expect-error: nothing that was answered is changed
  page.pets.push(page.pets[0])
  // @ts-expect-error: a bigint is no number
  page.pets[0]?.id satisfies number
  // @ts-expect-error: before the first answer nothing is known
  client.rateLimit.remaining
}
