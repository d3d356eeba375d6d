import type { Ban } from '../../api/schema.ts'

/** Where calls with the key are banned from. */
export function sourceLabel({ source }: Ban): string {
  return source ?? 'any address'
}
