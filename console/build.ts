import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Rolldown } from 'vite'
import { type Built, compressBrotli, type Files, readBuilt, tagOfSources, writeBuilt } from '../site/built-folder.ts'

// npm run build --workspace console

const HERE = import.meta.dirname
const SOURCES = [
  'console/{index.html,*.ts,src/**/*}',
  'src/pages/assets/colours.css',
  'src/domain/*.ts',
  'site/built-folder.ts',
  'package-lock.json',
]

/**
 * Builds the console into `dist` if its sources have changed since the last build.
 * @param onBuild is called before a build
 */
export async function buildConsole(dist = join(HERE, 'dist'), onBuild = (_message: string) => {}): Promise<Built> {
  const sources = tagOfSources(SOURCES)
  const existing = readBuilt(dist, sources)
  if (existing && existsSync(join(dist, 'index.html'))) return existing
  onBuild('Building the console …')
  const { files, packages } = await runVite()
  return writeBuilt(dist, files, { sources, packages })
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
  const assets = [...files].filter(([name]) => name.startsWith('assets/'))
  const compressed = assets.map(async ([name, content]) => [`${name}.br`, await compressBrotli(content, 11)] as const)
  return new Map([...files, ...(await Promise.all(compressed))])
}

/** A package can be within another one. */
const PACKAGE = /\/(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)/

function packagesOf(output: readonly (Rolldown.OutputChunk | Rolldown.OutputAsset)[]): string[] {
  const modules = output.flatMap(file => (file.type === 'chunk' ? file.moduleIds : []))
  return [...new Set(modules.flatMap(id => PACKAGE.exec(id.replaceAll('\\', '/'))?.[1] ?? []))].toSorted()
}

if (import.meta.main) await buildConsole()
