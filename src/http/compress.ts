import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib'
import type { Coding } from './content-coding.ts'

/** Higher qualities take twice as long to save another 2%. The default window would need megabytes of memory. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 18 } }

/** On this thread: up to 16 KB, delegating it would take more time of this thread, and larger content is rare and kept in its compressed form. */
const COMPRESSORS: Record<Coding, (bytes: Buffer) => Buffer> = {
  br: bytes => brotliCompressSync(bytes, BROTLI),
  zstd: bytes => zstdCompressSync(bytes),
  gzip: bytes => gzipSync(bytes),
}

export function compress(bytes: Buffer, coding: Coding): Buffer {
  return COMPRESSORS[coding](bytes)
}
