import { queryOptions } from '@tanstack/react-query'
import { describeColumns, findMeanings, MAX_IMPORTS_SEARCHED } from '../../../src/domain/describe-columns.ts'
import { fetchValue, type Query } from '../api/call.ts'
import type { AuditEntry, CsvPreview, RunningImport } from '../api/schema.ts'
import { cacheKey } from './query-keys.ts'

const PREVIEW_BYTES = 65_536
const MAX_ROWS = 20
const EVERY_MS = 500

/** How the service would read the beginning of a table. The old rows stay while it is read again with other options. */
export function csvPreviewQuery(fileId: string, sample: () => Promise<Blob>, type: string, query: Query) {
  return queryOptions({
    queryKey: cacheKey('/imports', 'csv', fileId, query),
    queryFn: async ({ signal }): Promise<CsvPreview> => {
      const body = new Blob([await sample()], { type })
      return fetchValue('POST', '/pets/import/preview', { query, body, signal })
    },
    placeholderData: previous => previous,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** The first lines of an NDJSON file, verbatim. */
export function firstLinesQuery(fileId: string, file: Blob) {
  return queryOptions({
    queryKey: cacheKey('/imports', 'lines', fileId),
    queryFn: async () => {
      const bytes = await beginningOf(file)
      const lines = (readText(bytes) ?? '').split(/\r\n?|\n/)
      // The last one may be cut off.
      if (bytes.byteLength === PREVIEW_BYTES && lines.length > 1) lines.pop()
      return lines.filter(line => line.trim() !== '').slice(0, MAX_ROWS)
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** How far the service has come with an import; null if it has not begun, or has ended. */
export function runningImportQuery(requestId: string) {
  return queryOptions({
    queryKey: cacheKey('/imports', 'running', requestId),
    queryFn: ({ signal }) => findRunning(requestId, signal),
    refetchInterval: EVERY_MS,
    refetchIntervalInBackground: true,
    // The progress of an import is useless once it has ended.
    gcTime: 0,
  })
}

export async function findRunning(requestId: string, signal?: AbortSignal): Promise<RunningImport | null> {
  const running = await fetchValue<RunningImport[]>('GET', '/pets/import', { signal })
  return running.find(one => one.requestId === requestId) ?? null
}

/** The newest import or update from a file in the audit log. */
export async function readNewestImport(mode: Mode, signal?: AbortSignal): Promise<AuditEntry | undefined> {
  return (await readImports(mode, 1, signal))[0]
}

type Mode = 'add' | 'update'

function readImports(mode: Mode, limit: number, signal?: AbortSignal): Promise<AuditEntry[]> {
  const query = { action: mode === 'add' ? 'pet.import' : 'pet.update', limit }
  return fetchValue('GET', '/audit', { query, signal })
}

/** The meanings that were chosen for the last file with the same columns; null if there are none. */
export function rememberedQuery(mode: Mode, header: readonly string[]) {
  return queryOptions({
    queryKey: cacheKey('/imports', 'meanings', mode, describeColumns(header)),
    queryFn: async ({ signal }) => findMeanings(await readImports(mode, MAX_IMPORTS_SEARCHED, signal), header) ?? null,
    // The next import may have other meanings.
    staleTime: 0,
    gcTime: 0,
  })
}

/** @throws Error with a message for the operator, if the file has changed since it was chosen */
export function beginningOf(file: Blob, length = PREVIEW_BYTES): Promise<ArrayBuffer> {
  return readPart(file, 0, length)
}

/** @throws Error like `beginningOf` */
async function readPart(file: Blob, from: number, to: number): Promise<ArrayBuffer> {
  try {
    return await file.slice(from, to).arrayBuffer()
  } catch (cause) {
    throw new Error('The file cannot be read. It was changed, moved or deleted; choose it again.', { cause })
  }
}

const READ_BYTES = 1_048_576
const STEP_BYTES = 4_096
const MAX_CHARACTER_BYTES = 4
/** A line is at most this long. */
const LINE_BYTES = 65_536
const LINE_FEED = 10

const samples = new WeakMap<Blob, Promise<Blob>>()

/**
 * The part of a CSV file that a preview needs: its beginning and, if that does not show the encoding, the first later lines that are not valid
 * UTF-8.
 */
export function csvSample(file: Blob): Promise<Blob> {
  const sample = samples.get(file) ?? findSample(file)
  samples.set(file, sample)
  sample.catch(() => samples.delete(file))
  return sample
}

async function findSample(file: Blob): Promise<Blob> {
  const start = new Uint8Array(await beginningOf(file))
  const at = start.includes(0) ? undefined : await findInvalid(file)
  if (at === undefined || at < start.length) return new Blob([start])
  const from = at - LINE_BYTES
  const part = new Uint8Array(await readPart(file, from, at + PREVIEW_BYTES / 2))
  const lineStart = part.lastIndexOf(LINE_FEED, at - from) + 1
  const half = start.subarray(0, PREVIEW_BYTES / 2)
  const head = half.subarray(0, half.lastIndexOf(LINE_FEED) + 1)
  return new Blob([head, part.subarray(lineStart, lineStart + PREVIEW_BYTES - head.length)])
}

/** Where the first bytes that are not valid UTF-8 are, at most `STEP_BYTES` before them. */
async function findInvalid(file: Blob): Promise<number | undefined> {
  const text = new TextDecoder('utf-8', { fatal: true })
  for (let read = 0; read < file.size; read += READ_BYTES) {
    const bytes = new Uint8Array(await readPart(file, read, read + READ_BYTES))
    for (let at = 0; at < bytes.length; at += STEP_BYTES) {
      try {
        text.decode(bytes.subarray(at, at + STEP_BYTES), { stream: true })
      } catch {
        // A character may have begun in the step before.
        return read + at - MAX_CHARACTER_BYTES
      }
    }
  }
  return undefined
}

/**
 * Decodes the start of a text file in UTF-8 or UTF-16, with or without a byte order mark. Bytes that are not valid UTF-8 are replaced: they may be in
 * another encoding. Undefined for anything else, such as a picture or a program, which has NUL characters in all of them.
 */
export function readText(start: ArrayBuffer): string | undefined {
  for (const encoding of ['utf-8', 'utf-16le', 'utf-16be']) {
    try {
      const text = new TextDecoder(encoding, { fatal: encoding !== 'utf-8' }).decode(start, { stream: true })
      if (!text.includes('\0')) return text
    } catch {
      // Not in this encoding.
    }
  }
  return undefined
}
