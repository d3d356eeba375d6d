import { styleText } from 'node:util'
import type { UsageGroup, UsageRow } from '../domain/administration/sum-usage.ts'
import { HOUR_MS } from '../domain/time.ts'
import { callsOf, dayOf, formatDay } from '../domain/usage.ts'
import { formatTable } from './output/table.ts'
import { formatMinute } from './output/text.ts'

const MIN_BAR = 10

const CELLS: Record<UsageGroup, (row: UsageRow) => string> = {
  day: ({ day }) => formatDay(day ?? 0),
  hour: ({ hour }) => formatMinute((hour ?? 0) * HOUR_MS),
  account: ({ accountId, accountName }) => accountName ?? `${accountId} (deleted)`,
  // Older stores counted the calls of all keys under key 0.
  key: ({ keyId, keyName }) => (keyId === 0n ? '-' : `${keyId} ${keyName ?? ''}`.trimEnd()),
  operation: ({ operation }) => operation ?? '-',
  status: ({ status }) => status ?? '-',
}

/** The outcomes of calls, in the order of a bar. The blocks differ even without colours. */
const PARTS = [
  { name: 'admitted', block: '█', colour: 'green' },
  { name: 'refused', block: '▒', colour: 'yellow' },
  { name: 'banned', block: '░', colour: 'red' },
] as const

type Counts = Record<(typeof PARTS)[number]['name'], number>

interface Layout {
  width: number
  /** The heading of the last line, which has the total of the others. */
  total: string
}

/** A table of sums with their total and, if there is room, a bar for each sum. Coloured on a terminal, unless NO_COLOR is set. */
export function formatUsage(by: readonly UsageGroup[], sums: readonly UsageRow[], { width, total }: Layout): string {
  const [heading = '', ...lines] = tableOf(by, sums, total).split('\n')
  const maxBar = width - heading.length - 2
  if (maxBar < MIN_BAR) return [heading, ...lines].join('\n')
  const max = sums.reduce((most, sum) => Math.max(most, callsOf(sum)), 1)
  const barred = lines.map((line, index) => {
    const sum = sums[index]
    return sum && callsOf(sum) > 0 ? `${line}  ${barOf(sum, max, maxBar)}` : line
  })
  const legend = PARTS.map(({ name, block, colour }) => `${styleText(colour, block)} ${name}`).join('  ')
  return [heading, ...barred, '', legend].join('\n')
}

/** All lines have the same length, because the last column is aligned to the right. */
function tableOf(by: readonly UsageGroup[], sums: readonly UsageRow[], totalHeading: string): string {
  // A row for a day or an hour already shows when the calls were made. Other rows show the day of the last call, if it is known.
  const hasLast = !by.some(group => ['day', 'hour', 'status'].includes(group))
  const last = (time = 0) => (hasLast ? [time === 0 ? '-' : formatDay(dayOf(time))] : [])
  const counts = (count: Counts) => PARTS.map(({ name }) => count[name])
  const headings = [...by, ...(hasLast ? ['last call'] : []), ...PARTS.map(({ name }) => name)]
  const rows = sums.map(sum => [...by.map(dimension => CELLS[dimension](sum)), ...last(sum.lastAt), ...counts(sum)])
  const total = [
    ...by.map((_, column) => (column === 0 ? totalHeading : '')),
    ...last(sums.reduce((latest, { lastAt = 0 }) => Math.max(latest, lastAt), 0)),
    ...counts(totalOf(sums)),
  ]
  return formatTable(
    headings.map(heading => heading.toUpperCase()),
    [...rows, total],
  )
}

/** Every part that is not zero gets at least one character. */
function barOf(sum: Counts, max: number, width: number): string {
  const perCall = (width - PARTS.length + 1) / max
  return PARTS.map(({ name, block, colour }) => {
    const length = sum[name] === 0 ? 0 : Math.max(1, Math.floor(sum[name] * perCall))
    return length === 0 ? '' : styleText(colour, block.repeat(length))
  }).join('')
}

function totalOf(sums: readonly Counts[]): Counts {
  const total = { admitted: 0, refused: 0, banned: 0 }
  for (const { name } of PARTS) for (const sum of sums) total[name] += sum[name]
  return total
}
