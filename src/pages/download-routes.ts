import { existsSync, readdirSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { Answer } from '../http/answer.ts'
import type { Call } from '../http/call.ts'
import { hasMatch, notModified } from '../http/conditional.ts'
import { Refusal } from '../http/refusal.ts'
import type { Route } from '../http/routes.ts'
import { mediaTypeOf } from './media-type.ts'

/** The name of a stored file: its SHA-256, and the name that it is served by. So a page and its files always belong together. */
const STORED = /^([0-9a-f]{64})-(.+)$/

export function storedName(sha256: string, name: string): string {
  return `${sha256}-${name}`
}

/**
 * Routes for files that programs download. They are read from disk each time, at the speed of the client, and never kept in memory.
 * @param path of the routes, with a slash at its end
 */
export function downloadRoutes(path: string, folder: URL): Route[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder).flatMap(stored => {
    const [, sha256, name] = STORED.exec(stored) ?? []
    return sha256 && name ? [downloadRoute(path + name, new URL(stored, folder), sha256)] : []
  })
}

function downloadRoute(path: string, file: URL, sha256: string): Route {
  const etag = `"${sha256}"`
  // A release is never built again under the same name; a development version is.
  const cacheControl = /[-.]dev/.test(path) ? 'no-cache' : 'public, max-age=31536000, immutable'
  const common = ['Content-Type', mediaTypeOf(path), 'ETag', etag, 'Cache-Control', cacheControl]

  async function handle({ request }: Call): Promise<Answer> {
    if (hasMatch(request.headers['if-none-match'], etag)) return notModified({ status: 200, headers: common, body: '' })
    const opened = await openFile(file)
    try {
      const { size } = await opened.stat()
      const headers = [...common, 'Content-Length', String(size)]
      return { status: 200, headers, body: opened.createReadStream() }
    } catch (error) {
      await opened.close()
      throw error
    }
  }

  return { path, operations: { GET: { handle } } }
}

/** @throws Refusal if the file is missing: someone has deleted it, or has built the pages again */
async function openFile(file: URL): Promise<FileHandle> {
  try {
    return await open(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new Refusal('route_not_found', 'This file is missing on the server; tell its operator.', {
      headers: { 'Cache-Control': 'no-cache' },
      reason: `${file.pathname} is missing: restart the service, or install it again`,
    })
  }
}
