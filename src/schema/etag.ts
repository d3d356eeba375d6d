import { hash } from 'node:crypto'

/** A strong validator: equal only if the content is equal. */
export function etagOf(content: string): string {
  return `"${hash('sha256', content, 'base64url').slice(0, 27)}"`
}
