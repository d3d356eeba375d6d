import { isInstalled } from './cores.ts'
import type { Extent } from './extent.ts'
import { type Figure, figure } from './figure.ts'
import { type Load, load, type Order } from './load.ts'
import { startPetstore } from './program.ts'
import { NEW_ANIMAL } from './record.ts'
import { stock } from './stock.ts'

const SLOW_DISK_MS = 20
/**
 * Every flush to the disk takes this much longer. The filter in the kernel stops the program at these two calls alone; all
 * others run at full speed, and so do the threads that do not wait for the disk.
 */
const SLOW_DISK = [
  ...['strace', '-D', '-f', '--seccomp-bpf', '-o', '/dev/null', '-e', 'trace=fsync,fdatasync'],
  ...['-e', `inject=fsync,fdatasync:delay_exit=${SLOW_DISK_MS}ms`],
]

/** How long a read takes while animals are created: on this disk, and on a slow one. */
export async function measureReadsBesideWrites(extent: Extent): Promise<Figure[]> {
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
  const alone: Load[] = []
  const beside: { reads: Load; writes: Load }[] = []
  for (let round = 0; round < rounds; round++) {
    alone.push(await load(reads))
    const [read, written] = await Promise.all([load(reads), load(writes)])
    beside.push({ reads: read, writes: written })
  }
  return [
    figure(
      `list alone, ${disk}: p50`,
      'ms',
      alone.map(one => one.p50Ms),
    ),
    figure(
      `list alone, ${disk}: p99`,
      'ms',
      alone.map(one => one.p99Ms),
    ),
    figure(
      `list beside creations, ${disk}: p50`,
      'ms',
      beside.map(one => one.reads.p50Ms),
    ),
    figure(
      `list beside creations, ${disk}: p99`,
      'ms',
      beside.map(one => one.reads.p99Ms),
    ),
    figure(
      `list beside creations, ${disk}`,
      'calls/s',
      beside.map(one => one.reads.calls / one.reads.seconds),
    ),
    figure(
      `creations beside lists, ${disk}`,
      'calls/s',
      beside.map(one => one.writes.calls / one.writes.seconds),
    ),
    figure(
      `creations beside lists, ${disk}: p50`,
      'ms',
      beside.map(one => one.writes.p50Ms),
    ),
  ]
}
