import type { IncomingMessage } from 'node:http'
import { jsonAnswer, keptAnswer, type WholeAnswer } from '../http/answer.ts'
import { type Awaitable, whenReady } from '../http/awaitable.ts'
import { compress } from '../http/compress.ts'
import { hasMatch } from '../http/conditional.ts'
import { type Coding, chooseCoding } from '../http/content-coding.ts'
import { etagOf } from '../schema/etag.ts'

/** The answer to a read in one coding. */
export interface Form extends WholeAnswer {
  etag: string
  /** The size of its content. */
  bytes: number
}

/** The codings of answers, the one that makes them smallest first. */
const CODINGS = ['br', 'zstd', 'gzip'] as const satisfies Coding[]

const FORMS = ['identity', ...CODINGS] as const

/** A smaller answer goes out in one packet anyway. */
const MIN_CODED_BYTES = 1_024

/** The answer without a coding. */
export function plainForm(json: string, link: string | undefined): Form {
  const etag = etagOf((link ?? '') + json)
  const links = link === undefined ? [] : ['Link', link]
  const shared = ['Cache-Control', 'private, no-cache', 'Vary', 'Accept-Encoding', ...links]
  return formOf(etag, Buffer.byteLength(json), jsonAnswer(200, json, ['ETag', etag, ...shared]))
}

/** The same answer in a coding; undefined if the machine is too busy to compress it. */
export function compressForm(form: Form, coding: Coding): Awaitable<Form | undefined> {
  return whenReady(compress(Buffer.from(form.body as string), coding), bytes => {
    if (!bytes) return undefined
    const ownTag = codedTag(form.etag, coding)
    const own = new Map([
      ['Content-Length', String(bytes.length)],
      ['ETag', ownTag],
    ])
    const headers = form.headers.map((text, index) => own.get(form.headers[index - 1] as string) ?? text)
    const body = bytes.toString('latin1')
    const coded = { status: form.status, headers: ['Content-Encoding', coding, ...headers], body, isLatin1: true }
    return formOf(ownTag, bytes.length, coded)
  })
}

/** The coding that a client already has, or else the one that it likes best. */
export function codingFor({ headers }: IncomingMessage, { etag, bytes }: Form): Coding | 'identity' {
  const { 'accept-encoding': acceptEncoding, 'if-none-match': condition } = headers
  const known = condition && FORMS.find(coding => hasMatch(condition, codedTag(etag, coding)))
  return known || chooseCoding(acceptEncoding, CODINGS, bytes >= MIN_CODED_BYTES)
}

/** Different bytes need different tags: ours are strong. */
function codedTag(etag: string, coding: Coding | 'identity'): string {
  return coding === 'identity' ? etag : etag.replace(/"$/, `-${coding}"`)
}

function formOf(etag: string, bytes: number, answer: WholeAnswer): Form {
  return { ...keptAnswer(answer), etag, bytes }
}
