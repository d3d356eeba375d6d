import { isInstalled } from './cores.ts'
import { type Extent, type Figure, figure } from './figure.ts'
import { type Load, load, type Order } from './load.ts'
import { startPetstore } from './program.ts'
import { NEW_ANIMAL } from './record.ts'
import { stock } from './stock.ts'

const SLOW_DISK_MS = 20
/**
 * Makes every flush to the disk take this much longer. A kernel filter stops the program only at these two calls. All other calls, and the
 * threads that do not wait for the disk, run at full speed.
 */
const SLOW_DISK = [
  ...['strace', '-D', '-f', '--seccomp-bpf', '-o', '/dev/null', '-e', 'trace=fsync,fdatasync'],
  ...['-e', `inject=fsync,fdatasync:delay_exit=${SLOW_DISK_MS}ms`],
]

/** How long a read takes while animals are created, on this disk and on a slow one. */
export async function measureReadsDuringWrites(extent: Extent): Promise<Figure[]> {
  const figures = await measureOn('this disk', extent)
  return isInstalled('strace') ? [...figures, ...(await measureOn('a slow disk', extent, SLOW_DISK))] : figures
}

async function measureOn(disk: string, { rounds, seconds }: Extent, under?: readonly string[]): Promise<Figure[]> {
  using animals = await stock(1_000)
  const { folder, key } = animals
  await using service = await startPetstore({ folder, key, under })
  const common = { url: service.url, key, paths: ['/v1/pets'], seconds }
  const reads: Order = { ...common, connections: 16 }
  const writes: Order = { ...common, body: NEW_ANIMAL, connections: 32 }

  await Promise.all([load(reads), load(writes)])
  const samples: { alone: Load; reads: Load; writes: Load }[] = []
  for (let round = 0; round < rounds; round++) {
    const alone = await load(reads)
    const [read, written] = await Promise.all([load(reads), load(writes)])
    samples.push({ alone, reads: read, writes: written })
  }
  const of = (name: string, unit: string, value: (one: (typeof samples)[number]) => number) =>
    figure(name, unit, samples.map(value))
  return [
    of(`list alone, ${disk}: p50`, 'ms', ({ alone }) => alone.p50Ms),
    of(`list alone, ${disk}: p99`, 'ms', ({ alone }) => alone.p99Ms),
    of(`list beside creations, ${disk}: p50`, 'ms', ({ reads }) => reads.p50Ms),
    of(`list beside creations, ${disk}: p99`, 'ms', ({ reads }) => reads.p99Ms),
    of(`list beside creations, ${disk}`, 'calls/s', ({ reads }) => reads.calls / reads.seconds),
    of(`creations beside lists, ${disk}`, 'calls/s', ({ writes }) => writes.calls / writes.seconds),
    of(`creations beside lists, ${disk}: p50`, 'ms', ({ writes }) => writes.p50Ms),
  ]
}
