import { type Extent, type Figure, figure } from './figure.ts'
import { sample } from './load.ts'
import { type Program, startPetstore } from './program.ts'
import { coldPages, stock } from './stock.ts'

const MANY = 1_000_000

/** Measures whether the list slows down as the number of animals grows. */
export async function measureLargeStore({ rounds, seconds }: Extent): Promise<Figure[]> {
  using few = await stock(1_000)
  using many = await stock(MANY)
  await using small = await startPetstore(few)
  await using large = await startPetstore(many)
  const speed = async (program: Program, key: string, paths: readonly string[]) =>
    (await sample(program, { key, paths, connections: 64, seconds })).callsPerSecond
  const deep = coldPages(many, MANY)

  await speed(small, few.key, ['/v1/pets'])
  await speed(large, many.key, ['/v1/pets'])
  const samples: { small: number; large: number; cold: number }[] = []
  for (let round = 0; round < rounds; round++) {
    samples.push({
      small: await speed(small, few.key, ['/v1/pets']),
      large: await speed(large, many.key, ['/v1/pets']),
      cold: await speed(large, many.key, deep),
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
