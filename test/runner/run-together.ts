import { basename } from 'node:path'
import { runFiles } from './run-files.ts'

/** Runs test files in one process, and prints how many failures each of them has: node run-together.ts FILE … */
const files = process.argv.slice(2)
const { files: results } = await runFiles(files, {
  filesPerProcess: files.length,
  atOnce: 1,
  silenceLimitMs: 20_000,
  onEvent: event => event.type === 'test:stdout' && console.log(event.data.message),
})
console.log(JSON.stringify(results.map(({ file, failures }) => [basename(file), failures.length]).toSorted()))
