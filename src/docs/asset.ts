import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { chooseCoding } from '../http/content-coding.ts'

/** A file, ready to send. */
export interface Asset {
  /** Identifies the content: a part of its SHA-256. */
  tag: string
  /** The content in every encoding. */
  bodies: readonly EncodedBody[]
}

interface EncodedBody {
  encoding: (typeof CODINGS)[number] | 'identity'
  bytes: Buffer
  /** A strong validator, so it differs between encodings. */
  etag: string
}

const CODINGS = ['br', 'gzip'] as const

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)
/** The highest quality would take seconds to save another 10%. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 7 } }

/** @param brotli the content, if a build has already compressed it with the highest quality */
export async function packAsset(content: string | Uint8Array, brotli?: Buffer): Promise<Asset> {
  const identity = Buffer.from(content as Uint8Array)
  const tag = tagOf(identity)
  const [br, gzipped] = await Promise.all([brotli ?? compressBrotli(identity, BROTLI), compressGzip(identity)])
  return {
    tag,
    bodies: [
      { encoding: 'br', bytes: br, etag: `"${tag}-br"` },
      { encoding: 'gzip', bytes: gzipped, etag: `"${tag}-gz"` },
      { encoding: 'identity', bytes: identity, etag: `"${tag}"` },
    ],
  }
}

/** Identifies content; safe in a URL. */
export function tagOf(content: string | Uint8Array): string {
  return hash('sha256', content, 'base64url').slice(0, 24)
}

/** The best encoding that the client accepts. */
export function chooseBody({ bodies }: Asset, acceptEncoding: string | undefined): EncodedBody {
  const chosen = chooseCoding(acceptEncoding, CODINGS)
  return bodies.find(({ encoding }) => encoding === chosen) as EncodedBody
}
