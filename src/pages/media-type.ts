import { extname } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.tgz': 'application/gzip',
  '.txt': 'text/plain; charset=utf-8',
  '.webp': 'image/webp',
  // A wheel is a zip.
  '.whl': 'application/zip',
}

/** The media type of the content at a path. A path without an extension is a page. */
export function mediaTypeOf(path: string): string {
  const type = TYPES[extname(path)]
  if (!type) throw new Error(`The media type of ${path} is unknown.`)
  return type
}
