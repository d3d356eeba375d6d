import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import type { Rolldown } from 'vite'

// npm run build --workspace console

const HERE = import.meta.dirname
const ROOT = dirname(HERE)
const SOURCES = [
  'index.html',
  '*.ts',
  'src/**/*',
  '../src/docs/assets/colours.css',
  '../src/domain/fold.ts',
  '../src/domain/foreign-files.ts',
  '../src/domain/secret-forms.ts',
  '../package-lock.json',
]

/** Lists what the files were built from. It is next to them and is not served. */
interface Built {
  /** Identifies the sources. */
  sources: string
  /** The folders of the packages whose code it contains, relative to the repository. */
  packages: readonly string[]
}

type Files = ReadonlyMap<string, string | Uint8Array>

/**
 * Builds the console into `dist` if its sources have changed since the last build. Several processes may build at the same time, even while services
 * start: the same sources give the same files, no file is ever incomplete, and old files are deleted last.
 */
export async function buildConsole(dist = join(HERE, 'dist')): Promise<Built> {
  const sources = tagOfSources()
  const existing = readBuilt(dist)
  if (existing?.sources === sources && existsSync(join(dist, 'index.html'))) return existing
  const { files, packages } = await runVite()
  for (const [name, content] of files) if (name !== 'index.html') write(dist, name, content)
  write(dist, 'index.html', files.get('index.html') ?? '')
  for (const name of readdirSync(join(dist, 'assets'))) {
    if (!files.has(`assets/${name}`)) rmSync(join(dist, 'assets', name), { force: true })
  }
  write(dist, 'built.json', `${JSON.stringify({ sources, packages } satisfies Built, null, 2)}\n`)
  return { sources, packages }
}

async function runVite(): Promise<{ files: Files; packages: readonly string[] }> {
  // Loaded only when needed: `npm ci --omit=dev` does not install it.
  const [{ build }, { default: config }] = await Promise.all([import('vite'), import('./vite.config.ts')])
  // The environment must not affect the build.
  process.env.NODE_ENV = 'production'
  const built = await build({ ...config, configFile: false, envDir: false, logLevel: 'warn' })
  const { output } = built as Rolldown.RolldownOutput
  const files = new Map(output.map(file => [file.fileName, file.type === 'chunk' ? file.code : file.source]))
  return { files: await withCompressed(files), packages: packagesOf(output) }
}

/** Adds a Brotli version of each asset, at the highest quality: too slow to do per request. */
async function withCompressed(files: Files): Promise<Files> {
  const compress = promisify(brotliCompress)
  const assets = [...files].filter(([name]) => name.startsWith('assets/'))
  const compressed = assets.map(async ([name, content]) => [`${name}.br`, await compress(content)] as const)
  return new Map([...files, ...(await Promise.all(compressed))])
}

/** A package can be within another one. */
const PACKAGE = /\/(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)/

function packagesOf(output: readonly (Rolldown.OutputChunk | Rolldown.OutputAsset)[]): string[] {
  const modules = output.flatMap(file => (file.type === 'chunk' ? file.moduleIds : []))
  return [...new Set(modules.flatMap(id => PACKAGE.exec(id.replaceAll('\\', '/'))?.[1] ?? []))].toSorted()
}

function readBuilt(dist: string): Built | undefined {
  const file = join(dist, 'built.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

function write(dist: string, name: string, content: string | Uint8Array): void {
  const file = join(dist, name)
  // The names of these contain the hash of their content.
  if (name.startsWith('assets/') && existsSync(file)) return
  mkdirSync(dirname(file), { recursive: true })
  const unfinished = join(dist, `${basename(name)}.${process.pid}`)
  writeFileSync(unfinished, content)
  renameSync(unfinished, file)
}

function tagOfSources(): string {
  const hash = createHash('sha256')
  const files = globSync(SOURCES, { cwd: HERE, withFileTypes: true }).filter(entry => entry.isFile())
  for (const file of files.map(({ parentPath, name }) => join(parentPath, name)).toSorted()) {
    hash.update(relative(ROOT, file)).update(readFileSync(file))
  }
  return hash.digest('hex')
}

if (import.meta.main) await buildConsole()
