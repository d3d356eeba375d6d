import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a generator of load sends. */
export interface Calls {
  key: string
  /** Each call uses one of them at random. */
  paths: readonly string[]
  /** If given, the calls are POSTs. */
  body?: string | undefined
}

/** Writes the calls into a file in a folder: method, key, body, then one path a line. Returns its path. wrk.lua reads it too. */
export function writeOrderFile(folder: string, { key, paths, body = '' }: Calls): string {
  const file = join(folder, 'order')
  writeFileSync(file, `${[body === '' ? 'GET' : 'POST', key, body, ...paths].join('\n')}\n`)
  return file
}

/** The calls of such a file, as they are sent to a host. */
export function readRequests(orderFile: string, host: string): Buffer[] {
  const [method, key, body = '', ...paths] = readFileSync(orderFile, 'utf8').trimEnd().split('\n')
  const content = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
  return paths.map(path =>
    Buffer.from(`${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n${content}\r\n${body}`),
  )
}
