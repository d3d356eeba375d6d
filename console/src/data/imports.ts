import { call, type Query } from '../api/call.ts'
import type { AuditEntry, CsvPreview, RunningImport } from '../api/schema.ts'
import { readText } from '../lib/read-text.ts'
import { queryOf } from './query.ts'
import { cacheKey } from './query-keys.ts'

/** How much of a file a preview reads. */
export const PREVIEW_BYTES = 65_536
const MAX_ROWS = 20
const EVERY_MS = 500

/** How the service would read the beginning of a CSV file. The old rows stay while it is read again with other options. */
export function csvPreviewQuery(fileId: string, sample: () => Promise<Blob>, query: Query) {
  return queryOf({
    queryKey: cacheKey('imports', 'csv', fileId, query),
    queryFn: async ({ signal }) => {
      const body = new Blob([await sample()], { type: 'text/csv' })
      return (await call<CsvPreview>('POST', '/pets/import/preview', { query, body, signal })).value
    },
    placeholderData: previous => previous,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** The first lines of an NDJSON file, verbatim. */
export function firstLinesQuery(fileId: string, file: Blob) {
  return queryOf({
    queryKey: cacheKey('imports', 'lines', fileId),
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
export function runningImportQuery(requestId: string, isRunning: boolean) {
  return queryOf({
    queryKey: cacheKey('imports', 'running', requestId),
    queryFn: ({ signal }) => findRunning(requestId, signal),
    refetchInterval: EVERY_MS,
    refetchIntervalInBackground: true,
    enabled: isRunning,
    // The progress of an import is useless once it has ended.
    gcTime: 0,
  })
}

export async function findRunning(requestId: string, signal?: AbortSignal): Promise<RunningImport | null> {
  const { value } = await call<RunningImport[]>('GET', '/pets/import', { signal })
  return value.find(one => one.requestId === requestId) ?? null
}

/** The newest import or update from a file in the audit log. */
export async function readNewestImport(mode: 'add' | 'update', signal?: AbortSignal): Promise<AuditEntry | undefined> {
  const query = { action: mode === 'add' ? 'pet.import' : 'pet.update', limit: 1 }
  return (await call<AuditEntry[]>('GET', '/audit', { query, signal })).value[0]
}

/** @throws Error with a message for the operator, if the file has changed since it was chosen */
export function beginningOf(file: Blob, length = PREVIEW_BYTES): Promise<ArrayBuffer> {
  return readPart(file, 0, length)
}

/** @throws Error like `beginningOf` */
export async function readPart(file: Blob, from: number, to: number): Promise<ArrayBuffer> {
  try {
    return await file.slice(from, to).arrayBuffer()
  } catch (cause) {
    throw new Error('The file cannot be read. It was changed, moved or deleted; choose it again.', { cause })
  }
}
