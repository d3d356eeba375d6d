import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** A file as it is sent: compressed once, in every encoding that is offered, the best one first. */
export type Asset = readonly EncodedBody[]

interface EncodedBody {
  encoding: 'br' | 'gzip' | 'identity'
  bytes: Buffer
  /** Strong, hence another one for each encoding. */
  etag: string
}

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)
/** The best quality would take seconds for a tenth less. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

export async function packAsset(content: string | Uint8Array): Promise<Asset> {
  const identity = Buffer.from(content as Uint8Array)
  const tag = hash('sha256', identity, 'base64url').slice(0, 24)
  const [br, gzipped] = await Promise.all([compressBrotli(identity, BROTLI), compressGzip(identity)])
  return [
    { encoding: 'br', bytes: br, etag: `"${tag}-br"` },
    { encoding: 'gzip', bytes: gzipped, etag: `"${tag}-gz"` },
    { encoding: 'identity', bytes: identity, etag: `"${tag}"` },
  ]
}

/** The best encoding that the client accepts (RFC 9110, section 12.5.3). */
export function chooseBody(asset: Asset, acceptEncoding: string | string[] | undefined): EncodedBody {
  const accepted = String(acceptEncoding ?? '')
    .toLowerCase()
    .split(',')
    .filter(offer => !/;\s*q=0(?:\.0*)?\s*$/.test(offer))
    .map(offer => offer.split(';', 1)[0]?.trim())
  return asset.find(({ encoding }) => accepted.includes(encoding)) ?? (asset.at(-1) as EncodedBody)
}
