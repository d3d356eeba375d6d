import { parseArgs } from 'node:util'
import { compareWithBare } from './compare-bare.ts'
import { type Extent, type Figure, formatTable, isMet } from './figure.ts'
import { measureHotFunctions } from './hot-functions.ts'
import { measureLargeStore } from './large-store.ts'
import { measureReadsDuringWrites } from './reads-during-writes.ts'
import { losses, recordedHere, recordRatios } from './recorded-ratios.ts'
import { describeRun, writeResults } from './results.ts'
import { measureStart } from './start.ts'

/** Every measurement, by its name on the command line. */
const MEASUREMENTS: Record<string, (extent: Extent) => Promise<Figure[]>> = {
  bare: compareWithBare,
  start: measureStart,
  large: measureLargeStore,
  mixed: measureReadsDuringWrites,
  hot: measureHotFunctions,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    check: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
  },
})
const extent: Extent = { rounds: Number(values.rounds), seconds: Number(values.seconds) }
const names = positionals.length > 0 ? positionals : Object.keys(MEASUREMENTS)
const unknown = names.find(name => !(name in MEASUREMENTS))
if (
  unknown !== undefined ||
  !(extent.rounds >= 1 && extent.rounds <= 100 && extent.seconds >= 1 && extent.seconds <= 60)
) {
  console.error(
    `Usage: npm run bench -- [${Object.keys(MEASUREMENTS).join('|')} …] [--rounds 1…100] [--seconds 1…60] [--check] [--record]`,
  )
  process.exit(2)
}

const description = describeRun(extent)
console.log(`${description}\n`)
const figures: Figure[] = []
for (const name of names) {
  const measured = await MEASUREMENTS[name]?.(extent)
  figures.push(...(measured ?? []))
  console.log(`${formatTable(measured ?? [])}\n`)
}
if (positionals.length === 0) writeResults(description, figures)

const missed = figures.filter(one => !isMet(one))
console.log(missed.length === 0 ? 'Every target is met.' : `Not met: ${missed.map(({ name }) => name).join('; ')}.`)
if (values.record) recordRatios(figures)
if (values.check) {
  const lost = losses(figures, recordedHere())
  console.log(lost.length === 0 ? 'No ratio has fallen by more than a tenth.' : lost.join('\n'))
  if (lost.length > 0) process.exitCode = 1
}
