import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { type AssetRoute, assetRoute } from './asset-route.ts'

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** A file that pages load from /docs/NAME. Several source files are joined in order. */
export function fileRoute(name: string, ...files: readonly URL[]): AssetRoute {
  const type = TYPES[extname(name)]
  if (!type) throw new Error(`The media type of ${name} is unknown.`)
  const load = async () => Buffer.concat(await Promise.all(files.map(file => readFile(file))))
  return assetRoute(`/docs/${name}`, { type, load })
}
