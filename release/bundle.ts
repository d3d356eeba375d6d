import { cpSync, existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { buildConsole } from '../console/build.ts'
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
 * the source: each `new URL('…', import.meta.url)` that names a `.ts` file is a thread, and any other a file or a folder to copy. The console
 * is built first.
 * @param isReleased for a file of a copied folder: whether it belongs to the release
 * @returns the folders of the packages that are in it, relative to the repository
 */
export async function bundle(folder: string, isReleased = (_file: string) => true): Promise<string[]> {
  const ofConsole = await buildConsole()
  const files = new Set<string>()
  // Without splitting: what the program and its threads have in common is in each of them, as many small files would start more slowly.
  const { metafile } = await build({
    entryPoints: [MAIN_SOURCE, ...findThreads()].map(entry),
    absWorkingDir: ROOT,
    outdir: folder,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    legalComments: 'none',
    // For packages in the older module format, and for Node's own modules.
    banner: { js: "const require=process.getBuiltinModule('node:module').createRequire(import.meta.url);" },
    define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' },
    plugins: [ownFiles(files), builtins],
    metafile: true,
    logLevel: 'warning',
  })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n')
  for (const file of files) copy(file, join(folder, file), isReleased)
  return packagesOf([...Object.keys(metafile.inputs), ...files, ...ofConsole.packages])
}

/** The sources that run as threads of their own. The program itself may be run as a process. */
export function findThreads(): string[] {
  const sources = globSync('{bin,src}/**/*.ts', { cwd: ROOT, exclude: ['**/*.test.ts', '**/*.contract.ts'] })
  const threads = sources.flatMap(source =>
    [...readFileSync(join(ROOT, source), 'utf8').matchAll(OWN_FILE)]
      .map(([, , path = '']) => join(dirname(source), path))
      .filter(path => path.endsWith('.ts') && withSlashes(path) !== MAIN_SOURCE),
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

/**
 * Points what a module names by its own place to its place in the bundle.
 * @param files collects what is to be copied there
 * @throws if the module uses its place in any other way
 */
export function rewriteOwnFiles(source: string, text: string, files: Set<string>): string {
  if (text.replaceAll(OWN_FILE, '').replaceAll(PACKAGE_FILE, '').includes('import.meta')) {
    throw new Error(`${source} uses import.meta in a way that the bundle does not know; see release/bundle.ts.`)
  }

  function place(path: string): string {
    const target = withSlashes(relative(ROOT, join(dirname(source), path)))
    if (target === '') return '../'
    if (target.startsWith(COMPILE_CACHE)) return `../cache/${target.slice(COMPILE_CACHE.length)}`
    if (target.endsWith('.ts')) return nameOf(target)
    // A template names one of several files in a folder.
    const fixed = path.includes('${') ? target.slice(0, target.lastIndexOf('/', target.indexOf('${'))) : target
    if (!existsSync(join(ROOT, fixed))) throw new Error(`${source} names ${path}, which does not exist.`)
    files.add(fixed)
    return path.endsWith('/') ? `${target}/` : target
  }

  function placePackageFile(specifier: string): string {
    const file = withSlashes(relative(ROOT, fileURLToPath(import.meta.resolve(specifier))))
    files.add(file)
    return file
  }

  return text
    .replaceAll(OWN_FILE, (_, quote, path) => urlOf(quote + place(path) + quote))
    .replaceAll(PACKAGE_FILE, (_, quote, name) => urlOf(quote + placePackageFile(name) + quote))
}

function ownFiles(files: Set<string>): Plugin {
  return {
    name: 'own-files',
    setup({ onLoad }) {
      onLoad({ filter: /\.[cm]?[jt]s$/ }, ({ path }) => ({
        contents: rewriteOwnFiles(path, readFileSync(path, 'utf8'), files),
        loader: /\.[cm]?ts$/.test(path) ? 'ts' : 'js',
      }))
    },
  }
}

/**
 * Imports Node's own modules by `require`. An `import` would read every property of them, some of which load large parts of Node: `fetch` for
 * `node:http`.
 */
const builtins: Plugin = {
  name: 'builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === 'require-call' ? { path, external: true } : { path, namespace: 'builtin' },
    )
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({ contents: `module.exports = require('${path}')` }))
  },
}

function entry(source: string): { in: string; out: string } {
  return { in: source, out: nameOf(source).replace(/\.js$/, '') }
}

function urlOf(path: string): string {
  return `new URL(${path}, import.meta.url)`
}

function copy(file: string, destination: string, isReleased: (file: string) => boolean): void {
  mkdirSync(dirname(destination), { recursive: true })
  const filter = (path: string) => {
    if (statSync(path).isDirectory()) return true
    return !path.endsWith('.ts') && isReleased(withSlashes(relative(ROOT, path)))
  }
  cpSync(join(ROOT, file), destination, { recursive: true, filter })
}

/** The folders of the packages that files belong to. */
function packagesOf(files: readonly string[]): string[] {
  const folders = files.flatMap(file => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [])
  return [...new Set(folders)].toSorted()
}

function withSlashes(path: string): string {
  return path.replaceAll(sep, '/')
}
