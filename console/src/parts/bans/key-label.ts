import type { Ban } from '../../api/schema.ts'

/** The display name of the key of a ban. */
export function keyLabel({ keyName, keyId }: Ban): string {
  return keyName ?? `Key ${keyId}`
}
