import { parseArgs } from 'node:util'
import { installPackages } from '../tools/install.ts'
import { comparePeers } from './compare-peers.ts'
import { formatTable } from './figure.ts'
import { peerRatios, writePeersReport } from './peers-report.ts'
import { losses, recordedHere, recordRatios } from './recorded-ratios.ts'
import { describeRun } from './results.ts'

/**
 * Compares the service with the same job on other frameworks, and writes the tables and charts into docs/performance.md:
 * `npm run bench:peers -- [--rounds 5] [--seconds 2] [--check] [--record]`.
 */

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    check: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
  },
})
const extent = { rounds: Number(values.rounds), seconds: Number(values.seconds) }

installPackages(new URL('peers/', import.meta.url).pathname)
const description = describeRun(extent)
console.log(`${description}\n`)
const results = await comparePeers(extent)
const ratios = peerRatios(results)
console.log(`\n${formatTable(ratios)}`)
if (values.check) {
  for (const loss of losses(ratios, recordedHere())) {
    console.error(loss)
    process.exitCode = 1
  }
} else {
  writePeersReport(description, results, ratios)
}
if (values.record) recordRatios(ratios)
