import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { formatNotes, formatReports, isPassed, type Report, writeReports } from './report.ts'
import { runScenario } from './run.ts'
import { SCENARIOS } from './scenarios.ts'

/**
 * Kills, starves and disturbs the service, and measures that callers lose nothing:
 *
 *     npm run endure                       every scenario, about 50 minutes
 *     npm run endure -- kill clock         only these
 *     npm run endure -- --quick            a short form of all, a few minutes
 *     npm run endure -- --write            writes the results into docs/reliability.md
 *
 * Exits with 1 if anything was lost, doubled or left hanging, if the service did not recover, or if a scenario could not run.
 * Run it as root on a dedicated Linux machine: some scenarios mount disks, and all of them keep the processor busy.
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

// The run starts hundreds of processes. With this cache, only the first ones compile the sources.
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
}
console.log(`\n${formatReports(reports)}\n`)
if (values.write) writeReports(reports, { isQuick })
const failed = reports.filter(report => !isPassed(report))
console.log(
  failed.length === 0 ? 'Every scenario passed.' : `Not passed: ${failed.map(({ name }) => name).join(', ')}.`,
)
// Connections that hang would keep this process alive.
process.exit(failed.length === 0 ? 0 : 1)
