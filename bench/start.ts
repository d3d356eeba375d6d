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
  const empty: number[] = []
  for (let start = 0; start < STARTS; start++) {
    using folder = emptyFolder()
    await using service = await startPetstore({ folder: folder.path })
    empty.push(service.startMs)
  }
  using animals = await stock(1_000)
  const stocked: number[] = []
  for (let start = 0; start < STARTS; start++) {
    await using service = await startPetstore({ folder: animals.folder, key: animals.key })
    stocked.push(service.startMs)
  }
  return [
    figure('start to first answer, no store yet', 'ms', empty, TARGET),
    figure('start to first answer, 1,000 animals', 'ms', stocked, TARGET),
    figure('the same from the archive of a release', 'ms', await measureBundle(animals), BUNDLE_AIM),
  ]
}

async function measureBundle({ folder, key }: { folder: string; key: string }): Promise<number[]> {
  using release = emptyFolder()
  const app = join(release.path, 'app')
  await bundle(app)
  const starts: number[] = []
  for (let start = 0; start < STARTS; start++) {
    await using service = await startPetstore({ folder, key, program: join(app, MAIN) })
    starts.push(service.startMs)
  }
  return starts
}
