import { type Extent, type Figure, figure } from './figure.ts'
import { load } from './load.ts'
import { startPetstore } from './program.ts'
import { coldPages, stock } from './stock.ts'

const FEW = 1_000
const MANY = 1_000_000

/** Measures whether the list slows down as the number of animals grows. */
export async function measureLargeStore({ rounds, seconds }: Extent): Promise<Figure[]> {
  using few = await stock(FEW)
  using many = await stock(MANY)
  await using small = await startPetstore(few)
  await using large = await startPetstore(many)
  const speed = async (url: string, key: string, paths: readonly string[]) => {
    const { calls, seconds: elapsed } = await load({ url, key, paths, connections: 64, seconds })
    return calls / elapsed
  }
  const deep = coldPages(many, MANY)

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
  const of = (name: string, value: (one: (typeof samples)[number]) => number) =>
    figure(name, 'calls/s', samples.map(value))
  const ratios = samples.map(({ large, small }) => large / small)
  return [
    figure('list at 1,000,000 animals, share of that at 1,000', 'ratio', ratios, { atLeast: 0.9 }),
    of('list at 1,000 animals', ({ small }) => small),
    of('list at 1,000,000 animals', ({ large }) => large),
    of('cold pages at random depth of 1,000,000', ({ cold }) => cold),
  ]
}
