import type { IssuedClaimLink, IssuedKey } from '../../api/schema.ts'
import { sentence } from '../../ui/sentence.ts'

/** A new key in various forms for pasting. */
export function secretLines({ key, account }: IssuedKey, publicUrl: string | null | undefined) {
  const lines = [
    { label: 'The key', text: key },
    { label: 'As an environment variable', text: `export PETSTORE_API_KEY=${key}` },
  ]
  if (publicUrl) {
    lines.push({ label: 'To try it', text: `curl -H "Authorization: Bearer ${key}" ${publicUrl}/pets` })
  }
  return {
    title: sentence`The new key of “${account}”`,
    warning: 'Store the key now. It is shown only once and cannot be recovered.',
    lines,
  }
}

export function linkLines({ link, account }: IssuedClaimLink) {
  return {
    title: sentence`A claim link for “${account}”`,
    warning:
      'Send this link to the person who needs the key. The link is shown only now. The first person to press its button gets the key; then the link stops working.',
    lines: [{ label: 'The link', text: link }],
  }
}
