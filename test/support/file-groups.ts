import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Writes modules of which each runs several test files, one after another in one process: to start a process for each file would cost more
 * than many of them need for their tests.
 * @param folder for the modules
 * @param files in the order in which they are dealt out, so that the first ones run first
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

/** Hooks for the end run once no test is left, so that this one must wait for the files that are still loading. */
const HEAD = `import { test } from 'node:test'

const loaded = Promise.withResolvers()
test('the files are loaded', () => loaded.promise)
`
const END = 'loaded.resolve()\n'

/** A file that cannot be loaded fails alone, and not the others of its group. */
function importOf(file: string): string {
  const url = JSON.stringify(pathToFileURL(resolve(file)).href)
  return `await import(${url}).catch(error => void test(${JSON.stringify(file)}, () => { throw error }))`
}
