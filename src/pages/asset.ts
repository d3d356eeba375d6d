import { hash } from 'node:crypto'
import { compress } from '../http/compress.ts'
import { chooseCoding } from '../http/content-coding.ts'

/** A content, and its compressed forms if a build has made them. */
export interface Content {
  identity: Buffer
  br?: Buffer | undefined
  gzip?: Buffer | undefined
}

/** A content, ready to send. */
export interface Asset {
  /** Identifies the content: a part of its SHA-256. */
  tag: string
  /** The best form of it that the client accepts. A form that does not exist yet is made once. */
  choose(acceptEncoding: string | undefined): EncodedBody
}

interface EncodedBody {
  encoding: keyof Content
  bytes: Buffer
  /** A strong validator, so it differs between encodings. */
  etag: string
}

const CODINGS = ['br', 'gzip'] as const
const SUFFIXES = { br: '-br', gzip: '-gz', identity: '' }

export function packAsset(content: Content): Asset {
  const tag = tagOf(content.identity)
  const forms = { ...content }
  return {
    tag,
    choose(acceptEncoding) {
      const encoding = chooseCoding(acceptEncoding, CODINGS)
      if (encoding !== 'identity') forms[encoding] ??= compress(content.identity, encoding)
      return { encoding, bytes: forms[encoding] as Buffer, etag: `"${tag}${SUFFIXES[encoding]}"` }
    },
  }
}

/** Identifies content; safe in a URL. */
export function tagOf(content: string | Uint8Array): string {
  return hash('sha256', content, 'base64url').slice(0, 24)
}
