import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { ROOT } from './repository.ts'

/** The file of the bundle that starts the program. */
export const MAIN = 'petstore.js'
const MAIN_SOURCE = 'bin/petstore.ts'

/** What a module names by its own place: `new URL('…', import.meta.url)`, or a file of a package by `import.meta.resolve`. */
const OWN_FILE = /new URL\(\s*(['"`])((?:\.{0,2}\/)*[^'"`]*)\1,\s*import\.meta\.url,?\s*\)/g
const PACKAGE_FILE = /new URL\(\s*import\.meta\.resolve\((['"])([^'"]+)\1\),?\s*\)/g
const COMPILE_CACHE = 'node_modules/.cache/'

/**
 * Writes the program as a few JavaScript files, with every file that it reads while it runs, into a folder. Threads and files are found in
 * the source: each `new URL('…', import.meta.url)` that names a `.ts` file is a thread, and any other a file or a folder to copy.
 * @returns the folders of the packages that are in it, relative to the repository
 */
export async function bundle(folder: string): Promise<string[]> {
  const threads = findThreads()
  const files = new Set<string>()
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [MAIN_SOURCE, ...threads].map(source => ({ in: source, out: nameOf(source).replace(/\.js$/, '') })),
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    legalComments: 'none',
    // Packages in the older module format.
    banner: {
      js: "import{createRequire as $createRequire}from'node:module';const require=$createRequire(import.meta.url);",
    },
    define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' },
    plugins: [ownFiles(files)],
    metafile: true,
    logLevel: 'warning',
  })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n')
  for (const file of files) copy(file, join(folder, file))
  return packagesOf([...Object.keys(metafile.inputs), ...files])
}

/** The sources that run as threads of their own. */
export function findThreads(): string[] {
  const sources = globSync('{bin,src}/**/*.ts', { cwd: ROOT, exclude: ['**/*.test.ts', '**/*.contract.ts'] })
  const threads = sources.flatMap(source =>
    [...readFileSync(join(ROOT, source), 'utf8').matchAll(OWN_FILE)]
      .map(([, , path = '']) => join(dirname(source), path))
      .filter(path => path.endsWith('.ts')),
  )
  return [...new Set(threads)].map(withSlashes).toSorted()
}

/** The name of a source in the bundle, where all modules are in one folder. */
export function nameOf(source: string): string {
  if (source === MAIN_SOURCE) return MAIN
  return source
    .replace(/^src\//, '')
    .replaceAll('/', '-')
    .replace(/\.ts$/, '.js')
}

/** Points what a module names by its own place to the bundle's folder, and collects the files to copy there. */
function ownFiles(files: Set<string>): Plugin {
  function place(source: string, path: string): string {
    const target = withSlashes(relative(ROOT, join(dirname(source), path)))
    if (target === '') return '../'
    if (target.startsWith(COMPILE_CACHE)) return `../cache/${target.slice(COMPILE_CACHE.length)}`
    if (target.startsWith('..')) throw new Error(`${source} names ${path}, which is outside the repository.`)
    if (target.endsWith('.ts')) return nameOf(target)
    // A template names one of several files in a folder.
    const fixed = path.includes('${') ? target.slice(0, target.lastIndexOf('/', target.indexOf('${')) + 1) : target
    if (!existsSync(join(ROOT, fixed))) throw new Error(`${source} names ${path}, which does not exist.`)
    files.add(fixed)
    return path.endsWith('/') && !target.endsWith('/') ? `${target}/` : target
  }

  function placePackageFile(specifier: string): string {
    const file = withSlashes(relative(ROOT, fileURLToPath(import.meta.resolve(specifier))))
    files.add(file)
    return file
  }

  return {
    name: 'own-files',
    setup({ onLoad }) {
      onLoad({ filter: /\.[cm]?[jt]s$/ }, ({ path: source }) => {
        const text = readFileSync(source, 'utf8')
        if (text.replaceAll(OWN_FILE, '').replaceAll(PACKAGE_FILE, '').includes('import.meta')) {
          throw new Error(`${source} uses import.meta in a way that the bundle does not know; see release/bundle.ts.`)
        }
        const contents = text
          .replaceAll(OWN_FILE, (_, quote, path) => urlOf(quote + place(source, path) + quote))
          .replaceAll(PACKAGE_FILE, (_, quote, name) => urlOf(quote + placePackageFile(name) + quote))
        const loader = /\.[cm]?ts$/.test(source) ? 'ts' : 'js'
        return { contents, loader }
      })
    },
  }
}

function urlOf(path: string): string {
  return `new URL(${path}, import.meta.url)`
}

function copy(file: string, destination: string): void {
  mkdirSync(dirname(destination), { recursive: true })
  cpSync(join(ROOT, file), destination, { recursive: true, filter: path => !path.endsWith('.ts') })
}

/** The folders of the packages that files belong to. */
function packagesOf(files: readonly string[]): string[] {
  const folders = files.flatMap(file => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [])
  return [...new Set(folders)].toSorted()
}

function withSlashes(path: string): string {
  return path.replaceAll(sep, '/')
}
