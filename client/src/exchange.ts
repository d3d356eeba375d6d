import { type Answer, printable } from './answer.ts'
import { CLIENT_HEADER } from './user-agent.ts'

export interface Request {
  method: 'GET' | 'POST'
  /** Appended to the base address, such as /pets?limit=20. */
  path: string
  headers?: Readonly<Record<string, string>>
  body?: string
}

/** One attempt to send a request. */
export interface Attempt extends Request {
  baseUrl: string
  apiKey: string
  requestId: string
  fetch: typeof globalThis.fetch
  signal: AbortSignal
  /** Called as soon as the head of any response has arrived. */
  onHead(): void
}

/** Sends a request and reads its complete response. Rejects as soon as the signal is aborted, even if `fetch` ignores it. */
export async function exchange(attempt: Attempt): Promise<Omit<Answer, 'receivedAt' | 'maxWaitMs'>> {
  return Promise.race([send(attempt), whenAborted(attempt.signal)])
}

async function send(attempt: Attempt): Promise<Omit<Answer, 'receivedAt' | 'maxWaitMs'>> {
  const { method, path, body, baseUrl, apiKey, requestId, fetch, signal } = attempt
  const response = await fetch(baseUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      accept: 'application/json',
      'x-request-id': requestId,
      ...CLIENT_HEADER,
      ...attempt.headers,
    },
    ...(body !== undefined && { body }),
    signal,
    // The key must be sent to this address only. A redirect gets its own error, and is not reported as a lost connection.
    redirect: 'manual',
    credentials: 'omit',
    // `cache` keeps its default: with any other value, Chromium repeats the preflight before each call. The service makes the browser
    // revalidate each page, so the content and the limits are always current.
  })
  attempt.onHead()
  const text = await readText(response, signal)
  const { status, headers } = response
  return { status, headers, text, baseUrl, requestId: printable(headers.get('x-request-id') ?? '') || requestId }
}

/** Nine times the largest page. Much larger ones would take longer to parse than a call may take. */
const MAX_ANSWER_BYTES = 1_024 * 1_024

/** Another attempt would fail in the same way. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge'
}

async function readText(response: Response, signal: AbortSignal): Promise<string> {
  const reader = response.body?.getReader()
  if (!reader) return response.text()
  const stop = () => void reader.cancel().catch(() => {})
  signal.addEventListener('abort', stop, { once: true })
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.length
    if (bytes > MAX_ANSWER_BYTES) {
      stop()
      throw new AnswerTooLarge(`the response is larger than ${MAX_ANSWER_BYTES} bytes`)
    }
    text += decoder.decode(value, { stream: true })
  }
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
}
