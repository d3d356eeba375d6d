import { join } from 'node:path'
import { bundle, MAIN } from '../release/bundle.ts'
import { type Figure, figure } from './figure.ts'
import { startPetstore } from './program.ts'
import { emptyFolder, stock } from './stock.ts'

const STARTS = 10
const TARGET = { atMost: 250 }
const BUNDLE_AIM = { atMost: 200 }

/** Measures the time from starting the process to its first answer. */
export async function measureStart(): Promise<Figure[]> {
  using animals = await stock(1_000)
  using release = emptyFolder()
  await bundle(join(release.path, 'app'))
  const program = join(release.path, 'app', MAIN)
  const empty: number[] = []
  const stocked: number[] = []
  const bundled: number[] = []
  for (let start = 0; start < STARTS; start++) {
    using folder = emptyFolder()
    empty.push(await msToStart({ folder: folder.path }))
    stocked.push(await msToStart(animals))
    bundled.push(await msToStart({ ...animals, program }))
  }
  return [
    figure('start to first answer, no store yet', 'ms', empty, TARGET),
    figure('start to first answer, 1,000 animals', 'ms', stocked, TARGET),
    figure('the same from the archive of a release', 'ms', bundled, BUNDLE_AIM),
  ]
}

async function msToStart(start: Parameters<typeof startPetstore>[0]): Promise<number> {
  await using service = await startPetstore(start)
  return service.startMs
}
