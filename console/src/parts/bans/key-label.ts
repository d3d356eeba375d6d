import type { Ban } from '../../api/schema.ts'

/** What the key of a ban is called. */
export function keyLabel({ keyName, keyId }: Ban): string {
  return keyName ?? `Key ${keyId}`
}
