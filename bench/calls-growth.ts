import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { type Bar, barChart } from './bar-chart.ts'
import { measureCallsByAnimals } from './calls-by-animals.ts'
import { measureCallsByConnections } from './calls-by-connections.ts'
import { measureCallsByKeys } from './calls-by-keys.ts'
import { formatNumber, markdownTable } from './figure.ts'
import { writeChart, writeSection } from './performance-page.ts'

/**
 * Measures whether calls become slower as the numbers of animals, keys and connections grow: `node bench/calls-growth.ts [--animals 1000,1000000]
 * [--keys 1,1000] [--connections 1,64] [--write]`. --write writes the tables and charts into docs/performance.md.
 */

/** Results at several sizes. Each result has a name that includes its unit. */
interface Growth {
  /** What grows, such as "animals". */
  of: string
  sizes: readonly number[]
  figures: readonly Readonly<Record<string, number>>[]
}

const { values } = parseArgs({
  options: {
    animals: { type: 'string', default: '1000,10000,100000,1000000,10000000' },
    keys: { type: 'string', default: '1,1000,100000,1000000' },
    connections: { type: 'string', default: '1,64,1000,10000' },
    write: { type: 'boolean', default: false },
  },
})

const growths = [
  await grow('animals', sizesIn(values.animals), measureCallsByAnimals),
  await grow('keys', sizesIn(values.keys), measureCallsByKeys),
  await grow('connections', sizesIn(values.connections), measureCallsByConnections),
]
const date = new Date().toISOString().slice(0, 10)
const text = `${date}; load average at the end: ${loadavg()[0]?.toFixed(1)}.\n\n${growths.map(describe).join('\n\n')}`
console.log(text)
if (values.write) {
  writeSection('growth of calls', text)
  for (const growth of growths) writeChart(chartName(growth), chartOf(growth))
}

/** Measures the sizes in order. */
async function grow(
  of: string,
  sizes: readonly number[],
  measure: (size: number) => Promise<Record<string, number>>,
): Promise<Growth> {
  const figures: Record<string, number>[] = []
  for (const size of sizes) {
    console.error(`${size.toLocaleString('en')} ${of} …`)
    figures.push(await measure(size))
  }
  return { of, sizes, figures }
}

function describe(growth: Growth): string {
  const { of, sizes, figures } = growth
  const rows = Object.keys(figures[0] ?? {}).map(name => [
    name,
    ...figures.map(one => formatNumber(one[name] as number)),
  ])
  const head = [`by ${of}`, ...sizes.map(size => size.toLocaleString('en'))]
  const numbers = sizes.map((_, index) => index + 1)
  const table = markdownTable(head, rows, numbers)
  return `![${titleOf(growth)}](images/${chartName(growth)})\n\n${table}`
}

/** A bar for each size of each result in microseconds; equal bars mean no growth. The colour changes with each result. */
function chartOf(growth: Growth): string {
  const { sizes, figures } = growth
  const names = Object.keys(figures[0] ?? {}).filter(name => name.endsWith(', µs'))
  const bars = names.flatMap((name, index) => {
    const values = figures.map(one => one[name] as number)
    const first = values.findIndex(value => !Number.isNaN(value))
    return values.flatMap((value, at): Bar[] => {
      if (Number.isNaN(value)) return []
      const size = (sizes[at] as number).toLocaleString('en')
      const label = at === first ? `${name.replace(', µs', '')}: ${size}` : size
      return [{ label, value, text: `${formatNumber(value)} µs`, group: index % 2 === 0 ? 'service' : 'peer' }]
    })
  })
  return barChart(titleOf(growth), bars)
}

function titleOf({ of }: Growth): string {
  return `CPU time of a call, by the number of ${of}`
}

function chartName({ of }: Growth): string {
  return `growth-${of}.svg`
}

function sizesIn(list: string): number[] {
  return list.split(',').map(Number)
}
