import { parseArgs } from 'node:util'
import { formatNumber, markdownTable } from './figure.ts'
import { openEmbedded, openPostgres } from './growing-store.ts'
import { GROWTH_STEPS, growTo } from './growth-steps.ts'
import { writeSection } from './performance-page.ts'

/**
 * Measures how a store scales: the cost of importing, counting, indexing, correcting and creating an animal, its size on the disk, and the
 * duration of queries. `node bench/growth.ts [--animals 1000,1000000] [--postgres URL] [--write]`; the URL must be of an empty database.
 * --write writes the table into docs/performance.md.
 */

const { values } = parseArgs({
  options: {
    animals: { type: 'string', default: '1000,10000,100000,1000000' },
    postgres: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
const sizes = values.animals.split(',').map(Number)

await using growing = values.postgres === undefined ? await openEmbedded() : await openPostgres(values.postgres)
const columns: Record<string, number>[] = []
for (const size of sizes) {
  console.error(`${formatNumber(size)} animals …`)
  columns.push(await growTo(growing, size))
}

const rows = GROWTH_STEPS.map(({ name, unit }) => [
  name,
  unit,
  ...columns.map(figures => formatNumber(figures[name] as number)),
])
const numbers = sizes.map((_, index) => index + 2)
const table = markdownTable(['', 'unit', ...sizes.map(size => size.toLocaleString('en'))], rows, numbers)
console.log(table)
if (values.write) writeSection(values.postgres === undefined ? 'growth' : 'growth on PostgreSQL', table)
