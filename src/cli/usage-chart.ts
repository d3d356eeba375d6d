import { styleText } from 'node:util'
import { dayOf, formatDay, type UsageDimension, type UsageSum } from '../domain/usage.ts'
import { formatTable } from './output/table.ts'

const MIN_BAR = 10

const CELLS: Record<UsageDimension, (sum: UsageSum) => string> = {
  day: ({ day }) => formatDay(day ?? 0),
  account: ({ accountId, accountName }) => accountName ?? `${accountId} (deleted)`,
  // Older stores counted the calls of all keys as those of key 0.
  key: ({ keyId, keyName }) => (keyId === 0n ? '-' : `${keyId} ${keyName ?? ''}`.trimEnd()),
  operation: ({ operation }) => operation ?? '-',
}

/** How a call can end, in the order of a bar. The blocks differ even without colours. */
const PARTS = [
  { name: 'admitted', block: '█', colour: 'green' },
  { name: 'refused', block: '▒', colour: 'yellow' },
  { name: 'banned', block: '░', colour: 'red' },
] as const

type Counts = Record<(typeof PARTS)[number]['name'], number>

/** A table of sums with their total and, if there is room, a bar for each sum. Coloured on a terminal, unless NO_COLOR is set. */
export function formatUsage(by: readonly UsageDimension[], sums: readonly UsageSum[], width: number): string {
  const [heading = '', ...lines] = tableOf(by, sums).split('\n')
  const maxBar = width - heading.length - 2
  if (maxBar < MIN_BAR) return [heading, ...lines].join('\n')
  const max = Math.max(1, ...sums.map(callsOf))
  const barred = lines.map((line, index) => {
    const sum = sums[index]
    return sum && callsOf(sum) > 0 ? `${line}  ${barOf(sum, max, maxBar)}` : line
  })
  const legend = PARTS.map(({ name, block, colour }) => `${styleText(colour, block)} ${name}`).join('  ')
  return [heading, ...barred, '', legend].join('\n')
}

/** All lines have the same length, as the last column is aligned to the right. */
function tableOf(by: readonly UsageDimension[], sums: readonly UsageSum[]): string {
  // The day already says when the calls were; other sums show the day of the last one.
  const isByDay = by.includes('day')
  const last = (time: number) => (isByDay ? [] : [time === 0 ? '-' : formatDay(dayOf(time))])
  const counts = (count: Counts) => PARTS.map(({ name }) => count[name])
  const headings = [...by, ...(isByDay ? [] : ['last call']), ...PARTS.map(({ name }) => name)]
  const rows = sums.map(sum => [...by.map(dimension => CELLS[dimension](sum)), ...last(sum.lastAt), ...counts(sum)])
  const total = [
    ...by.map((_, column) => (column === 0 ? 'TOTAL' : '')),
    ...last(Math.max(...sums.map(sum => sum.lastAt))),
    ...counts(totalOf(sums)),
  ]
  return formatTable(
    headings.map(heading => heading.toUpperCase()),
    [...rows, total],
  )
}

/** Every part that is not zero takes at least one character. */
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

function callsOf({ admitted, refused, banned }: Counts): number {
  return admitted + refused + banned
}
