import { globSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildSite } from '../site/build.ts'
import { installTools } from '../tools/install.ts'
import { SILENCE_LIMIT_MS, SILENCE_LIMIT_WITH_SERVERS_MS } from './runner/limits.ts'
import { useFolderInMemory } from './runner/memory-folder.ts'
import { namesOf, runFiles } from './runner/run-files.ts'
import { sumsOf } from './runner/sums.ts'
import { backendOfRun } from './support/backend.ts'
import { NO_HISTORY } from './support/servers/previous-release.ts'

/**
 * Runs the tests that only need npm, or with --servers those that need more, or with --texts the checks of the repository's texts, or the given files:
 *
 *     npm test                   npm test -- FILE …                   npm test -- --test-name-pattern 'a ban'
 *     npm run test:servers       npm run test:servers -- FILE …
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const TESTS = '{client,site,src,test}/**/*.test.ts'
const CHECKS_TEXTS = /^test\/texts\//
const NEEDS_SERVERS = /\.servers\.test\.ts$/
/** Tests wait for more than half of their time, so this many processes keep all cores busy. */
const PROCESSES_AT_ONCE = availableParallelism() * 3
const PROCESSES_WITH_SERVERS = availableParallelism() * 2
/** Beside servers, browsers and several instances, calls would reach their timeouts. */
const MAX_LOAD_WITH_SERVERS = availableParallelism() * 1.5
/** The load is an average over a minute, so it says nothing about the start, when the slowest files begin. */
const LOAD_UNKNOWN_MS = 120_000
const FILES_PER_PROCESS = 20
/** The slowest files. If they started last, the run would wait for them alone. */
const FIRST = [
  'test/backends.servers.test.ts',
  'test/store-integrity.test.ts',
  'test/hostile/embedded.test.ts',
  'src/sqlite/store.test.ts',
  'test/operator/pet-files.test.ts',
  'test/cli/serve.test.ts',
  'test/crash.test.ts',
  'test/hostile/handshakes.test.ts',
  'test/console/build.test.ts',
  'test/console/beside.servers.test.ts',
  'test/console/layout.servers.test.ts',
  'test/client/time-and-abort.test.ts',
  'test/operator/usage.test.ts',
  'test/runner/runner.test.ts',
]

const startedAt = performance.now()
const { values, positionals } = parseArgs({
  options: {
    servers: { type: 'boolean', default: false },
    texts: { type: 'boolean', default: false },
    'test-name-pattern': { type: 'string', multiple: true },
  },
  allowPositionals: true,
})
const named = positionals.map(path => ({ path, found: globSync(path) }))
const unmatched = named.filter(({ found }) => found.length === 0).map(({ path }) => path)
if (unmatched.length > 0) {
  console.error(`No test file matches ${unmatched.join(' or ')}.`)
  process.exit(1)
}
const files = named.length > 0 ? [...new Set(named.flatMap(({ found }) => found))] : allOf(values)

// Hundreds of processes are started. With this cache, only the first of them compile the sources.
process.env.NODE_COMPILE_CACHE ??= join(ROOT, 'node_modules/.cache/petstore')

// Services serve the pages from these files.
await buildSite()
const reporter = spec()
const written = pipeline(reporter, process.stdout, { end: false })
useFolderInMemory()
const servers = files.some(needsServers) ? await startServers() : undefined
const { files: results, flaky } = await runFiles(
  files.map(file => resolve(file)),
  {
    testNamePatterns: values['test-name-pattern'],
    first: FIRST.map(file => resolve(file)),
    // Not if files start servers or browsers: these would stay until the last file of their process has ended.
    filesPerProcess: named.length === 0 && !values.servers ? FILES_PER_PROCESS : 1,
    atOnce: servers ? PROCESSES_WITH_SERVERS : PROCESSES_AT_ONCE,
    atOnceWhileBusy: availableParallelism(),
    isBusy: () => servers !== undefined && isBusy(),
    silenceLimitMs: servers ? SILENCE_LIMIT_WITH_SERVERS_MS : SILENCE_LIMIT_MS,
    onEvent: event => void reporter.write(event),
  },
).finally(() => servers?.globalTeardown())

const events = results.flatMap(result => result.events)
const skipped = events.flatMap(({ type, data }) =>
  type === 'test:pass' && data.skip !== undefined ? [`${data.name}: ${data.skip}`] : [],
)
for (const { files, name } of flaky) report(`FLAKY: ${namesOf(files)}: ${name}`, 'warn')
for (const sum of sumsOf(events, performance.now() - startedAt)) report(sum)
reporter.end()
await written
if (skipped.length > 0) console.error(`Not tested:\n${skipped.join('\n')}`)
// If everything must be tested, everything that a test needs and that can be installed must be present.
const lacksTests = process.env.CI === 'true' && skipped.some(one => !one.endsWith(NO_HISTORY))
const hasFailed = lacksTests || results.some(({ failures }) => failures.length > 0)
// Not even a process that could not be ended keeps this one from ending.
process.stdout.write('', () => process.exit(hasFailed ? 1 : 0))

function isBusy(): boolean {
  return performance.now() - startedAt < LOAD_UNKNOWN_MS || (loadavg()[0] as number) > MAX_LOAD_WITH_SERVERS
}

function report(message: string, level: 'info' | 'warn' = 'info'): void {
  reporter.write({ type: 'test:diagnostic', data: { nesting: 0, message, level } })
}

async function startServers() {
  installTools()
  const servers = await import('./support/servers/global-setup.ts')
  await servers.globalSetup()
  return servers
}

function allOf({ servers, texts }: { servers: boolean; texts: boolean }): string[] {
  const all = globSync(TESTS, { cwd: ROOT, exclude: ['**/node_modules/**'] }).map(file => file.replaceAll('\\', '/'))
  const wanted = all.filter(file => CHECKS_TEXTS.test(file) === texts && NEEDS_SERVERS.test(file) === servers)
  return wanted.toSorted().toReversed()
}

/** By its name, or because `PETSTORE_TEST_BACKEND` selects a backend other than the embedded one. */
function needsServers(file: string): boolean {
  return NEEDS_SERVERS.test(file) || backendOfRun() !== 'embedded'
}
