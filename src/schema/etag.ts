import { hash } from 'node:crypto'

/** A strong validator: equal only if the content is equal. */
export function etagOf(content: string): string {
  return `"${hash('sha256', content, 'base64url').slice(0, 27)}"`
}

/** The form that the command line prints, which has no use for the version. */
export function withoutETag<Json extends { etag: string }>({ etag: _, ...json }: Json): Omit<Json, 'etag'> {
  return json
}
