import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type BuiltPart, CLIENTS_PART, fileOf } from '../src/pages/built-files.ts'
import { storedName } from '../src/pages/download-routes.ts'
import { hasPlaceholder } from '../src/pages/placeholders.ts'
import { type Built, compressBrotli, type Files, readBuilt, tagOfSources, writeBuilt } from './built-folder.ts'

// npm run build --workspace site

/** A change to any of these files makes the next build replace the output. */
export const SOURCES = [
  'site/**/*.ts',
  'docs/guides/**/*',
  'client/{LICENSE,README.md,package.json,src/*.ts}',
  'clients/python/{LICENSE,README.md,pyproject.toml,src/**/*.py,src/**/py.typed}',
  'src/{domain,http,operator,pages,public,schema}/**/*',
  'package-lock.json',
]
const NOT_SOURCES = ['**/*.test.ts', '**/*.contract.ts', 'site/dist']

/** The packages whose code the pages load. */
const PACKAGES = ['node_modules/minisearch']

/**
 * Builds the pages of both listeners, and the packages of the clients, into `dist` if their sources have changed since the last build.
 * @param onBuild is called before a build
 */
export async function buildSite(
  dist = join(import.meta.dirname, 'dist'),
  onBuild = (_message: string) => {},
): Promise<Built> {
  const sources = tagOfSources(SOURCES, NOT_SOURCES)
  const existing = readBuilt(dist, sources)
  if (existing) return existing
  onBuild('Building the pages …')
  return writeBuilt(dist, await renderSite(), { sources, packages: PACKAGES })
}

async function renderSite(): Promise<Files> {
  // Loaded only when needed: `npm ci --omit=dev` does not install the packages that these import.
  const [{ packClients }, { renderPublicPages }, { renderOperatorPages }, files] = await Promise.all([
    import('./clients/client-packages.ts'),
    import('./public-pages.ts'),
    import('./operator-pages.ts'),
    import('./page-files.ts'),
  ])
  const clients = await packClients()
  const { SHARED_FILES, OPERATOR_FILES } = files
  const parts: [part: BuiltPart, files: Iterable<readonly [path: string, content: string | Buffer]>][] = [
    ['shared', SHARED_FILES],
    ['public', Object.entries(renderPublicPages(clients))],
    ['operator', OPERATOR_FILES],
    ['operator', Object.entries(renderOperatorPages())],
  ]
  const pages = parts.flatMap(([part, files]) => [...files].map(([path, content]) => pack(part, path, content)))
  const downloads = Object.values(clients).map(
    ({ name, content, sha256 }) => [`${CLIENTS_PART}/${storedName(sha256, name)}`, content] as const,
  )
  return new Map([...(await Promise.all(pages)).flat(), ...downloads])
}

const compressGzip = promisify(gzip)

/** Content with placeholders changes when the service runs, so it cannot be compressed before. */
async function pack(part: BuiltPart, path: string, content: string | Buffer) {
  const name = `${part}/${fileOf(path)}`
  const isFinal = typeof content !== 'string' || !hasPlaceholder(content)
  if (!isFinal) return [[name, content] as const]
  const [br, gz] = await Promise.all([compressBrotli(content, 7), compressGzip(content, { level: 9 })])
  return [[name, content] as const, [`${name}.br`, br] as const, [`${name}.gz`, gz] as const]
}

if (import.meta.main) await buildSite()
