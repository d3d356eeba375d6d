import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { type RunOptions, run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { installTools } from '../tools/install.ts'
import { backendOfRun } from './support/backend.ts'
import { groupFiles } from './support/file-groups.ts'
import { temporaryFolder } from './support/folder.ts'
import { NO_HISTORY } from './support/servers/previous-release.ts'

/**
 * Runs the tests that only need npm, or with --servers all others, or the given files:
 *
 *     npm test                   npm test -- FILE …                   npm test -- --test-name-pattern 'a ban'
 *     npm run test:servers       npm run test:servers -- FILE …
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const TESTS = '{client,src,test}/**/*.test.ts'
const NEEDS_SERVERS = /\.servers\.test\.ts$/
/** Many tests wait, so one process more than there are cores keeps all cores busy. */
const PROCESSES_AT_ONCE = availableParallelism() + 1
const FILES_PER_PROCESS = 10
/** The slowest files. If they started last, the run would wait for them alone. */
const FIRST = [
  'test/backends.servers.test.ts',
  'test/hostile/embedded.test.ts',
  'test/store-integrity.test.ts',
  'src/sqlite/store.test.ts',
]

const { values, positionals } = parseArgs({
  options: { servers: { type: 'boolean', default: false }, 'test-name-pattern': { type: 'string', multiple: true } },
  allowPositionals: true,
})
const named = positionals.map(path => ({ path, found: globSync(path) }))
const unmatched = named.filter(({ found }) => found.length === 0).map(({ path }) => path)
if (unmatched.length > 0) {
  console.error(`No test file matches ${unmatched.join(' or ')}.`)
  process.exit(1)
}
const files = named.length > 0 ? named.flatMap(({ found }) => found) : allOf(values.servers)

// Hundreds of processes are started. With this cache, only the first of them compile the sources.
process.env.NODE_COMPILE_CACHE ??= join(ROOT, 'node_modules/.cache/petstore')

// Not if files start servers or browsers: these would stay until the last file of their process has ended.
const isGrouped = named.length === 0 && !values.servers
// Node's types lack the setup option.
const options: RunOptions & { globalSetupPath?: string } = {
  files: isGrouped ? groupFiles(await folderOfRun(), files, FILES_PER_PROCESS) : files,
  concurrency: PROCESSES_AT_ONCE,
}
if (values['test-name-pattern']) options.testNamePatterns = values['test-name-pattern']
if (files.some(needsServers)) {
  installTools()
  options.globalSetupPath = join(ROOT, 'test/support/servers/global-setup.ts')
}
const skipped: string[] = []
run(options)
  .on('test:fail', () => fail())
  .on('test:pass', ({ name, skip }) => void (skip !== undefined && skipped.push(`${name}: ${skip}`)))
  .compose(spec)
  .on('end', () => {
    if (skipped.length > 0) console.error(`Not tested:\n${skipped.join('\n')}`)
    // If everything must be tested, everything that a test needs and that can be installed must be present.
    if (skipped.some(one => !one.endsWith(NO_HISTORY)) && process.env.CI === 'true') fail()
  })
  .pipe(process.stdout)

function fail(): void {
  process.exitCode = 1
}

function allOf(needServers: boolean): string[] {
  const all = globSync(TESTS, { cwd: ROOT, exclude: ['**/node_modules/**'] }).toSorted()
  const wanted = all.filter(file => NEEDS_SERVERS.test(file) === needServers).toReversed()
  return [...wanted.filter(isFirst), ...wanted.filter(file => !isFirst(file))]
}

function isFirst(file: string): boolean {
  return FIRST.includes(file)
}

/** Ends with this process. */
function folderOfRun(): Promise<string> {
  return temporaryFolder({ after: end => process.once('beforeExit', end) })
}

/** By its name, or because `PETSTORE_TEST_BACKEND` selects a backend other than the embedded one. */
function needsServers(file: string): boolean {
  return NEEDS_SERVERS.test(file) || backendOfRun() !== 'embedded'
}
