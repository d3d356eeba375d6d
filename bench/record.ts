import { request } from 'node:http'

export interface RecordedAnswer {
  status: number
  /** Without the headers that a server adds on its own. */
  headers: Record<string, string>
  body: string
}

export interface RecordedAnswers {
  list: RecordedAnswer
  get: RecordedAnswer
  create: RecordedAnswer
}

const ADDED_BY_SERVERS = new Set(['Date', 'Connection', 'Keep-Alive', 'Server'])

export const NEW_ANIMAL = '{"name":"Some animal","categoryId":7,"status":"available"}'

/** Records one answer for each operation. */
export async function record(url: string, key: string): Promise<RecordedAnswers> {
  return {
    list: await call('GET', `${url}/v1/pets`, key),
    get: await call('GET', `${url}/v1/pets/500`, key),
    create: await call('POST', `${url}/v1/pets`, key, NEW_ANIMAL),
  }
}

/** @throws Error unless both servers send the same header names, with values of the same length */
export function compareAnswers(recorded: RecordedAnswers, replayed: RecordedAnswers): void {
  const shape = (answers: RecordedAnswers) =>
    Object.values(answers).map(({ status, headers, body }: RecordedAnswer) => {
      // The time left in a window may have one digit fewer a moment later.
      const lengths = Object.entries(headers).map(([name, value]) => `${name}: ${value.replace(/t=\d+/g, 't=').length}`)
      // Only Node sends them in the order given.
      return [status, lengths.sort(), body.length]
    })
  if (JSON.stringify(shape(recorded)) !== JSON.stringify(shape(replayed))) {
    throw new Error(`The bare server answers differently: ${JSON.stringify({ recorded, replayed }, null, 2)}`)
  }
}

function call(method: string, url: string, key: string, body?: string): Promise<RecordedAnswer> {
  const headers = {
    Authorization: `Bearer ${key}`,
    ...(body && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
  }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, response => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', chunk => {
        text += chunk
      })
      response.on('end', () => {
        const pairs = Array.from({ length: response.rawHeaders.length / 2 }, (_, index) =>
          response.rawHeaders.slice(2 * index, 2 * index + 2),
        )
        const own = pairs.filter(([name = '']) => !ADDED_BY_SERVERS.has(name))
        resolve({ status: response.statusCode as number, headers: joinRepeated(own as [string, string][]), body: text })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** A header may occur twice (Link). An object can only hold both values joined, which is nearly the same number of bytes. */
function joinRepeated(pairs: readonly [string, string][]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of pairs) headers[name] = name in headers ? `${headers[name]}, ${value}` : value
  return headers
}
