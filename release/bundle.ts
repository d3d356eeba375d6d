import { cpSync, existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildConsole } from '../console/build.ts'
import { buildSite } from '../site/build.ts'
import { build, type Plugin } from '../tools/bundler.ts'
import { ROOT } from './repository.ts'

/** The entry point of the bundle. */
export const MAIN = 'petstore.js'
const MAIN_SOURCE = 'bin/main.js'

/** References relative to a module: `new URL('…', import.meta.url)`, or a package's file with `import.meta.resolve`. */
const OWN_FILE = /new URL\(\s*(['"`])((?:\.{0,2}\/)*[^'"`]*)\1,\s*import\.meta\.url,?\s*\)/g
const PACKAGE_FILE = /new URL\(\s*import\.meta\.resolve\((['"])([^'"]+)\1\),?\s*\)/g
const COMPILE_CACHE = 'node_modules/.cache/'

/**
 * Writes the program into a folder, as a few JavaScript files with every file that it reads at run time. Finds threads and files in the
 * source: each `new URL('…', import.meta.url)` that names a `.ts` file is a thread, and any other is a file or folder to copy. Builds the
 * console and the pages first.
 * @param isReleased whether a file of a copied folder is part of the release
 * @returns the folders of the bundled packages, relative to the repository
 */
export async function bundle(folder: string, isReleased = (_file: string) => true): Promise<string[]> {
  const ofConsole = await buildConsole()
  const ofSite = await buildSite()
  const files = new Set<string>()
  // No splitting: the program and its threads each contain the shared code, because many small files would start more slowly.
  const { metafile } = await build({
    entryPoints: [MAIN_SOURCE, ...findThreads()].map(entry),
    absWorkingDir: ROOT,
    outdir: folder,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    legalComments: 'none',
    // For CommonJS packages, and for Node's own modules.
    banner: { js: "const require=process.getBuiltinModule('node:module').createRequire(import.meta.url);" },
    define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' },
    plugins: [ownFiles(files), builtins],
    metafile: true,
    logLevel: 'warning',
  })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n')
  for (const file of files) copy(file, join(folder, file), isReleased)
  return packagesOf([...Object.keys(metafile.inputs), ...files, ...ofConsole.packages, ...ofSite.packages])
}

/** The sources that run as threads. The program itself is not one of them: it may be started as a process. */
export function findThreads(): string[] {
  const sources = globSync('{bin,src}/**/*.ts', { cwd: ROOT, exclude: ['**/*.test.ts', '**/*.contract.ts'] })
  const threads = sources.flatMap(source =>
    [...readFileSync(join(ROOT, source), 'utf8').matchAll(OWN_FILE)]
      .map(([, , path = '']) => join(dirname(source), path))
      .filter(path => path.endsWith('.ts')),
  )
  return [...new Set(threads)].map(withSlashes).toSorted()
}

/** The name of a source file in the bundle, which has all modules in one folder. */
export function nameOf(source: string): string {
  if (source === MAIN_SOURCE) return MAIN
  return source
    .replace(/^src\//, '')
    .replaceAll('/', '-')
    .replace(/\.ts$/, '.js')
}

/**
 * Rewrites a module's relative references to their location in the bundle.
 * @param files collects the files to copy there
 * @throws if the module uses `import.meta` in any other way
 */
export function rewriteOwnFiles(source: string, text: string, files: Set<string>): string {
  if (text.replaceAll(OWN_FILE, '').replaceAll(PACKAGE_FILE, '').includes('import.meta')) {
    throw new Error(`${source} uses import.meta in a way that release/bundle.ts does not support.`)
  }

  function place(path: string): string {
    const target = withSlashes(relative(ROOT, join(dirname(source), path)))
    if (target === '') return '../'
    if (target.startsWith(COMPILE_CACHE)) return `../cache/${target.slice(COMPILE_CACHE.length)}`
    if (target.endsWith('.ts') || target === MAIN_SOURCE) return nameOf(target)
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
 * Loads Node's own modules with `require`. An `import` would read all their properties, and some of these load large parts of Node, such as
 * `fetch` for `node:http`.
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
