import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a load generator sends. */
export interface Calls {
  key: string
  /** Each call uses a random one. */
  paths: readonly string[]
  /** If given, the calls are POSTs. */
  body?: string | undefined
}

/** Writes the calls to a file in a folder: method, key, body, then one path per line. Returns its path. wrk.lua also reads it. */
export function writeOrderFile(folder: string, { key, paths, body = '' }: Calls): string {
  const file = join(folder, 'order')
  writeFileSync(file, `${[body === '' ? 'GET' : 'POST', key, body, ...paths].join('\n')}\n`)
  return file
}

/** The requests for the calls in such a file, ready to send to a host. */
export function readRequests(orderFile: string, host: string): Buffer[] {
  const [method, key, body = '', ...paths] = readFileSync(orderFile, 'utf8').trimEnd().split('\n')
  const content = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
  return paths.map(path =>
    Buffer.from(`${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n${content}\r\n${body}`),
  )
}
