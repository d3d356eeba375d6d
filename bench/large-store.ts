import { formatCursor } from '../src/domain/cursor.ts'
import type { Extent } from './extent.ts'
import { type Figure, figure } from './figure.ts'
import { load } from './load.ts'
import { startPetstore } from './program.ts'
import { stock } from './stock.ts'

const FEW = 1_000
const MANY = 1_000_000
/** Far more than the service keeps built, so that nearly every page is built anew. */
const COLD_PAGES = 40_000

/** Whether the list slows down with the number of animals. */
export async function measureLargeStore({ rounds, seconds }: Extent): Promise<Figure[]> {
  using few = await stock(FEW)
  using many = await stock(MANY)
  await using small = await startPetstore(few)
  await using large = await startPetstore(many)
  const speed = async (url: string, key: string, paths: readonly string[]) => {
    const { calls, seconds: elapsed } = await load({ url, key, paths, connections: 64, seconds })
    return calls / elapsed
  }
  const deep = Array.from({ length: COLD_PAGES }, () => {
    const afterId = BigInt(Math.floor(Math.random() * MANY))
    return `/v1/pets?cursor=${formatCursor({ status: undefined, afterId }, many.cursorSecret)}`
  })

  await speed(small.url, few.key, ['/v1/pets'])
  await speed(large.url, many.key, ['/v1/pets'])
  const samples: { small: number; large: number; cold: number }[] = []
  for (let round = 0; round < rounds; round++) {
    samples.push({
      small: await speed(small.url, few.key, ['/v1/pets']),
      large: await speed(large.url, many.key, ['/v1/pets']),
      cold: await speed(large.url, many.key, deep),
    })
  }
  return [
    figure(
      'list at 1,000,000 animals, share of that at 1,000',
      'ratio',
      samples.map(one => one.large / one.small),
      { atLeast: 0.9 },
    ),
    figure(
      'list at 1,000 animals',
      'calls/s',
      samples.map(one => one.small),
    ),
    figure(
      'list at 1,000,000 animals',
      'calls/s',
      samples.map(one => one.large),
    ),
    figure(
      'cold pages at random depth of 1,000,000',
      'calls/s',
      samples.map(one => one.cold),
    ),
  ]
}
