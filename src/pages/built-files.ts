import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { type AssetRoute, assetRoute, contentAddress } from './asset-route.ts'
import { loadOnce } from './load-once.ts'
import { mediaTypeOf } from './media-type.ts'
import { PAGE_HEADERS } from './page-headers.ts'
import { fillIn, type Values } from './placeholders.ts'

/** The output of `site/build.ts`, which releases and the container image include. */
export const BUILT_PAGES = new URL('../../site/dist/', import.meta.url)

/** A part of the output with pages. `shared` contains the files that all pages load. */
export type BuiltPart = 'shared' | 'public' | 'operator'

/** The part of the output with the packages of the clients, which are no pages and are not loaded into memory. */
export const CLIENTS_PART = 'clients'

/** The page for unknown addresses. It is served at any depth, and has no path of its own. */
const NOT_FOUND = '404.html'

export function arePagesBuilt(folder = BUILT_PAGES): boolean {
  return existsSync(new URL('built.json', folder))
}

/** Routes for all files of a part. @param values replace the placeholders in the files */
export function builtRoutes(folder: URL, part: BuiltPart, values: Partial<Values>): AssetRoute[] {
  const names = readdirSync(new URL(`${part}/`, folder), { recursive: true }).map(name =>
    String(name).replaceAll('\\', '/'),
  )
  const compressed = new Set(names.filter(name => name.endsWith('.br')))
  const files = names.filter(name => /\.\w+$/.test(name) && !/\.(?:br|gz)$/.test(name) && name !== NOT_FOUND)
  return files.map(name => {
    const path = `/${name.replace(/(?:(^|\/)index)?\.html$/, '$1')}`
    const type = mediaTypeOf(path)
    const read = (file: string) => readFile(new URL(`${part}/${file}`, folder))
    async function load() {
      // A build compresses every file without placeholders.
      if (!compressed.has(`${name}.br`)) return { identity: fillIn(await read(name), type, values) }
      const [identity, br, gzip] = await Promise.all(['', '.br', '.gz'].map(suffix => read(name + suffix)))
      return { identity: identity as Buffer, br, gzip }
    }
    return assetRoute(path, { type, load, headers: isPage(path) ? PAGE_HEADERS : [] })
  })
}

export async function readNotFoundPage(folder: URL, part: BuiltPart): Promise<string> {
  return await readFile(new URL(`${part}/${NOT_FOUND}`, folder), 'utf8')
}

/** Finds the address of a file that pages load, relative to the root of the service. Without built files, it leads nowhere. */
export function fileAddress(name: string): () => Promise<string> {
  return loadOnce(async () => {
    const file = new URL(`shared/docs/${name}`, BUILT_PAGES)
    return existsSync(file) ? contentAddress(`/docs/${name}`, await readFile(file)) : `docs/${name}`
  })
}

export function isPage(path: string): boolean {
  return mediaTypeOf(path) === mediaTypeOf('/')
}

/** The file of a path in its part. The path of a folder is a page in it. */
export function fileOf(path: string): string {
  if (path.endsWith('/')) return `${path.slice(1)}index.html`
  return path.slice(1) + (isPage(path) ? '.html' : '')
}
