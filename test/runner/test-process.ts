import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { END_LIMIT_MS, LOAD_LIMIT_MS } from './limits.ts'

/*
 * Runs test files, one after another in this process: node test-process.ts FILE … For many files, starting a process costs more than their tests.
 * Before the tests of each file, a test with the name of the file reports whether it could be loaded. A file that cannot be loaded, or never finishes
 * loading, does not keep the others from running.
 */

const files = process.argv.slice(2)
const allLoaded = Promise.withResolvers<void>()
after(() => void setTimeout(endLeftOpen, END_LIMIT_MS).unref())
for (const file of files) {
  const loaded = Promise.withResolvers<void>()
  // `after` hooks run once no test is left, so the first of these tests waits for the files that are still loading.
  test(file, { timeout: (files.length + 1) * LOAD_LIMIT_MS }, async () => {
    await allLoaded.promise
    await loaded.promise
  })
  await load(file).then(loaded.resolve, loaded.reject)
  loaded.promise.catch(() => {})
}
allLoaded.resolve()

async function load(file: string): Promise<void> {
  const limit = Promise.withResolvers<never>()
  const tooLong = new Error(`It is still loading after ${LOAD_LIMIT_MS / 1_000} s.`)
  const timer = setTimeout(() => limit.reject(tooLong), LOAD_LIMIT_MS)
  await Promise.race([import(pathToFileURL(file).href), limit.promise]).finally(() => clearTimeout(timer))
}

/** Runs only if something is left open, which keeps this process alive. */
function endLeftOpen(): void {
  const open = process.getActiveResourcesInfo().filter(type => type !== 'PipeWrap')
  console.error(`Still open ${END_LIMIT_MS / 1_000} s after the last test: ${open.join(', ')}`)
  process.exit(1)
}
