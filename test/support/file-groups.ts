import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Writes modules that each run several test files, one after another in one process: for many files, starting a process costs more than their tests.
 * @param folder for the modules
 * @param files in the order in which they are distributed, so that the first ones run first
 * @returns the paths of the modules
 */
export function groupFiles(folder: string, files: readonly string[], filesPerGroup: number): string[] {
  const count = Math.ceil(files.length / filesPerGroup)
  return Array.from({ length: count }, (_, group) => {
    const path = join(folder, `group-${String(group + 1).padStart(2, '0')}.mjs`)
    const mine = files.filter((_, index) => index % count === group)
    writeFileSync(path, [HEAD, ...mine.map(importOf), END].join('\n'))
    return path
  })
}

/** `after` hooks run once no test is left, so this test must wait for the files that are still loading. */
const HEAD = `import { test } from 'node:test'

const loaded = Promise.withResolvers()
test('the files are loaded', () => loaded.promise)
`
const END = 'loaded.resolve()\n'

/** A file that cannot be loaded does not fail the others of its group. */
function importOf(file: string): string {
  const url = JSON.stringify(pathToFileURL(resolve(file)).href)
  return `await import(${url}).catch(error => void test(${JSON.stringify(file)}, () => { throw error }))`
}
