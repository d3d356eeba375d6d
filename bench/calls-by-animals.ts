import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { costOf } from './cost-of-calls.ts'
import { startPetstore } from './program.ts'
import { NEW_ANIMAL } from './record.ts'
import { coldPages, emptyFolder, pageAfter, stock } from './stock.ts'

/**
 * The number of animals that are read one by one, spread over all of them. The service caches the answers for about 15,000 of these, so the hit
 * rate is the same at each size. With fewer animals, more reads would be hits, and a get would seem to slow down as the store grows.
 */
const COLD_GETS = 100_000

/** Measures the cost of calls that list, get or add animals, of a start and of a backup. */
export async function measureCallsByAnimals(animals: number): Promise<Record<string, number>> {
  using stocked = await stock(animals)
  await using service = await startPetstore(stocked)
  const cost = (paths: readonly string[], body?: string) => costOf(service, { key: stocked.key, paths, body })
  const figures = {
    'list, µs': await cost(['/v1/pets']),
    'list of a status, µs': await cost(['/v1/pets?status=sold']),
    'last page, µs': await cost([pageAfter(stocked, Math.max(0, animals - 10))]),
    'pages at random, µs': await cost(coldPages(stocked, animals)),
    'get at random, µs': animals < COLD_GETS ? Number.NaN : await cost(coldGets(animals)),
    'create, µs': await cost(['/v1/pets'], NEW_ANIMAL),
    'backup, µs an animal': (backupMs(stocked.folder) * 1_000) / animals,
  }
  await service[Symbol.asyncDispose]()
  await using again = await startPetstore(stocked)
  return { ...figures, 'start, ms': again.startMs }
}

function coldGets(animals: number): string[] {
  return Array.from({ length: COLD_GETS }, (_, index) => `/v1/pets/${1 + Math.floor((index * animals) / COLD_GETS)}`)
}

function backupMs(folder: string): number {
  using to = emptyFolder()
  const program = new URL('../bin/petstore.js', import.meta.url).pathname
  const startedAt = performance.now()
  const { status, stderr } = spawnSync(process.execPath, [program, 'backup', join(to.path, 'copy.db')], {
    env: { ...process.env, PETSTORE_DATA: folder },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  return performance.now() - startedAt
}
