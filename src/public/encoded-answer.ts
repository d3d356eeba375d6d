import type { IncomingMessage } from 'node:http'
import { jsonAnswer, preparedAnswer, type WholeAnswer } from '../http/answer.ts'
import { compress } from '../http/compress.ts'
import { hasMatch } from '../http/conditional.ts'
import { type Coding, chooseCoding } from '../http/content-coding.ts'
import { etagOf } from '../schema/etag.ts'

/** The answer to a read in one coding. */
export interface EncodedAnswer extends WholeAnswer {
  etag: string
  /** The size of its body. */
  bytes: number
}

/** Content codings, best compression first. */
const CODINGS = ['br', 'zstd', 'gzip'] as const satisfies Coding[]

const CODINGS_AND_IDENTITY = ['identity', ...CODINGS] as const

/** Smaller answers fit into one packet even without compression. */
const MIN_CODED_BYTES = 1_024

export function plainAnswer(json: string, link: string | undefined): EncodedAnswer {
  const etag = etagOf((link ?? '') + json)
  const links = link === undefined ? [] : ['Link', link]
  const shared = ['Cache-Control', 'private, no-cache', 'Vary', 'Accept-Encoding', ...links]
  return encodedAnswer(etag, Buffer.byteLength(json), jsonAnswer(200, json, ['ETag', etag, ...shared]))
}

export function compressAnswer(plain: EncodedAnswer, coding: Coding): EncodedAnswer {
  const bytes = compress(Buffer.from(plain.body as string), coding)
  const ownTag = codedTag(plain.etag, coding)
  const own = new Map([
    ['Content-Length', String(bytes.length)],
    ['ETag', ownTag],
  ])
  const headers = plain.headers.map((text, index) => own.get(plain.headers[index - 1] as string) ?? text)
  const body = bytes.toString('latin1')
  const coded = { status: plain.status, headers: ['Content-Encoding', coding, ...headers], body, isLatin1: true }
  return encodedAnswer(ownTag, bytes.length, coded)
}

/** The coding that the client has cached, or else the one it prefers. */
export function codingFor({ headers }: IncomingMessage, { etag, bytes }: EncodedAnswer): Coding | 'identity' {
  const { 'accept-encoding': acceptEncoding, 'if-none-match': condition } = headers
  const known = condition && CODINGS_AND_IDENTITY.find(coding => hasMatch(condition, codedTag(etag, coding)))
  return known || chooseCoding(acceptEncoding, CODINGS, bytes >= MIN_CODED_BYTES)
}

/** Strong entity tags must differ wherever the bytes differ. */
function codedTag(etag: string, coding: Coding | 'identity'): string {
  return coding === 'identity' ? etag : etag.replace(/"$/, `-${coding}"`)
}

function encodedAnswer(etag: string, bytes: number, answer: WholeAnswer): EncodedAnswer {
  return { ...preparedAnswer(answer), etag, bytes }
}
