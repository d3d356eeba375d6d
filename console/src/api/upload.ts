import { type Query, refusalOf, session, Unreachable, urlOf } from './call.ts'

interface UploadOptions {
  query: Query
  /** Identifies the upload in requests for its progress. */
  requestId: string
  /** The service carries out only one upload with this key. */
  idempotencyKey: string | undefined
  signal: AbortSignal
  onProgress(sentBytes: number): void
}

/**
 * Sends a file, and reports how much of it has been sent. The response is a Blob, which the browser may keep on disk: it may be too large to hold in
 * memory.
 * @throws ApiError, Unreachable, or the reason of the signal
 */
export function upload(path: string, file: Blob, type: string, options: UploadOptions): Promise<Blob> {
  const { query, requestId, idempotencyKey, signal, onProgress } = options
  const { csrfToken } = session
  // fetch does not report upload progress.
  const request = new XMLHttpRequest()
  request.open('POST', urlOf(path, query))
  request.responseType = 'blob'
  request.setRequestHeader('Content-Type', type)
  request.setRequestHeader('X-Request-Id', requestId)
  if (idempotencyKey !== undefined) request.setRequestHeader('Idempotency-Key', idempotencyKey)
  if (csrfToken !== undefined) request.setRequestHeader('X-CSRF-Token', csrfToken)
  request.upload.onprogress = ({ loaded }) => onProgress(loaded)
  return new Promise((resolve, reject) => {
    request.onload = async () => {
      const { response, status, statusText } = request
      if (status === 200) return resolve(response)
      const answer = new Response(response, { status, statusText, headers: { 'X-Request-Id': requestId } })
      reject(refusalOf(answer, await answer.text(), csrfToken))
    }
    request.onerror = () => reject(new Unreachable(undefined))
    request.onabort = () => reject(signal.reason)
    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(file)
  })
}
