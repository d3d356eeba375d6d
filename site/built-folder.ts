import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'

const ROOT = join(import.meta.dirname, '..')

/** What a folder was built from. It is in the folder, as `built.json`, and is not served. */
export interface Built {
  sources: string
  /** The folders of the packages whose code it contains, relative to the repository. */
  packages: readonly string[]
}

/** Files by their names in the folder. */
export type Files = ReadonlyMap<string, string | Uint8Array>

/** The folder of a build if it was made from these sources. */
export function readBuilt(folder: string, sources: string): Built | undefined {
  const file = join(folder, 'built.json')
  const built: Built | undefined = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
  return built?.sources === sources ? built : undefined
}

/**
 * Writes the files of a build. Several processes may build at the same time, even while services start: the same sources give the same files, no file
 * is ever incomplete, pages are written after the files that they load, and old files are deleted last.
 */
export function writeBuilt(folder: string, files: Files, built: Built): Built {
  const isPage = (name: string) => name.endsWith('.html')
  for (const [name, content] of files) if (!isPage(name)) write(folder, name, content)
  for (const [name, content] of files) if (isPage(name)) write(folder, name, content)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const name = relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/')
    // A number at the end is the id of a process that is still building.
    if (entry.isFile() && !files.has(name) && name !== 'built.json' && !/\.\d+$/.test(name)) {
      rmSync(join(folder, name), { force: true })
    }
  }
  write(folder, 'built.json', `${JSON.stringify(built, null, 2)}\n`)
  return built
}

function write(folder: string, name: string, content: string | Uint8Array): void {
  const file = join(folder, name)
  mkdirSync(dirname(file), { recursive: true })
  const unfinished = join(folder, `${basename(name)}.${process.pid}`)
  writeFileSync(unfinished, content)
  renameSync(unfinished, file)
}

const brotli = promisify(brotliCompress)

/** @param quality 11 takes thirty times as long as 7 to save another 4% */
export function compressBrotli(content: string | Uint8Array, quality: number): Promise<Buffer> {
  return brotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } })
}

/** Identifies the content of files. @param patterns of files, relative to the repository */
export function tagOfSources(patterns: readonly string[], exclude: readonly string[] = []): string {
  const hash = createHash('sha256')
  const entries = globSync(patterns, { cwd: ROOT, exclude, withFileTypes: true }).filter(entry => entry.isFile())
  for (const file of entries.map(({ parentPath, name }) => join(parentPath, name)).toSorted()) {
    hash.update(relative(ROOT, file)).update(readFileSync(file))
  }
  return hash.digest('hex')
}
