import { readFile } from 'node:fs/promises'
import { type AssetRoute, assetRoute } from './asset-route.ts'
import { mediaTypeOf } from './media-type.ts'

/** A route for a file that pages load from /docs/NAME. Several source files are joined in order. */
export function fileRoute(name: string, ...files: readonly URL[]): AssetRoute {
  const path = `/docs/${name}`
  const load = async () => Buffer.concat(await Promise.all(files.map(file => readFile(file))))
  return assetRoute(path, { type: mediaTypeOf(path), load })
}
