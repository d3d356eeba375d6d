import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { formatNotes, formatReports, isPassed, type Report, writeReports } from './report.ts'
import { runScenario } from './run.ts'
import { SCENARIOS } from './scenarios.ts'

/**
 * Makes life hard for the service, and shows by figures that callers lose nothing:
 *
 *     npm run endure                       every scenario, some 50 minutes
 *     npm run endure -- kill clock         these alone
 *     npm run endure -- --quick            a short form of all, some minutes
 *     npm run endure -- --write            puts the figures into docs/reliability.md
 *
 * It ends with 1 when anything was lost, doubled or left hanging, when the service did not recover, or when something could not be tried.
 * Run it as root on a Linux machine of its own: some scenarios mount disks, and every one keeps the processor busy.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
})
const unknown = positionals.find(name => !SCENARIOS.some(scenario => scenario.name === name))
if (unknown !== undefined) {
  const names = SCENARIOS.map(({ name }) => name).join('|')
  console.error(`Usage: npm run endure -- [${names} …] [--quick] [--write]`)
  process.exit(2)
}
const wanted = SCENARIOS.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
const isQuick = values.quick

// Hundreds of processes are started; with this only the first of them compile the sources.
process.env.NODE_COMPILE_CACHE ??= join(
  fileURLToPath(new URL('../..', import.meta.url)),
  'node_modules/.cache/petstore',
)

const reports: Report[] = []
for (const scenario of wanted) {
  console.log(`${scenario.name} …`)
  const report = await runScenario(scenario, { isQuick })
  reports.push(report)
  for (const note of formatNotes(report)) console.log(`  ${note}`)
  for (const table of report.tables) console.log(table)
}
console.log(`\n${formatReports(reports)}\n`)
if (values.write) writeReports(reports, { isQuick })
const failed = reports.filter(report => !isPassed(report))
console.log(
  failed.length === 0 ? 'Every scenario is passed.' : `Not passed: ${failed.map(({ name }) => name).join(', ')}.`,
)
// Connections that hang would keep this process alive.
process.exit(failed.length === 0 ? 0 : 1)
