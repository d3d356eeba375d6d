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
  choose(acceptEncoding: string | undefined): Promise<EncodedBody>
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
  const bodies = new Map<keyof Content, Promise<Buffer | undefined>>()

  async function bytesOf(coding: (typeof CODINGS)[number]): Promise<Buffer | undefined> {
    return content[coding] ?? (await compress(content.identity, coding))
  }

  return {
    tag,
    async choose(acceptEncoding) {
      const chosen = chooseCoding(acceptEncoding, CODINGS)
      if (chosen !== 'identity') {
        const made = bodies.get(chosen) ?? bytesOf(chosen)
        bodies.set(chosen, made)
        const bytes = await made
        if (bytes) return { encoding: chosen, bytes, etag: `"${tag}${SUFFIXES[chosen]}"` }
        // Too much else is being compressed at the moment.
        bodies.delete(chosen)
      }
      return { encoding: 'identity', bytes: content.identity, etag: `"${tag}"` }
    },
  }
}

/** Identifies content; safe in a URL. */
export function tagOf(content: string | Uint8Array): string {
  return hash('sha256', content, 'base64url').slice(0, 24)
}
