import { useFormContext } from 'react-hook-form'
import type { IssuedClaimLink, IssuedKey, Key } from '../../api/schema.ts'
import { fieldOf } from '../../lib/forms.ts'
import { SECONDS } from '../../lib/numbers.ts'
import { durationOptions } from '../../lib/options.ts'
import { Field, Select, TextArea } from '../../ui/Field.tsx'
import { sentence } from '../../ui/sentence.ts'
import { SCOPE_OPTIONS } from './columns.tsx'

/** The properties of a key that can be changed, as form values. */
export interface TermsValues {
  name: string
  scope: Key['scope']
  networks: string
}

export function TermsFields() {
  const form = useFormContext<TermsValues>()
  return (
    <>
      <Field label="Name" hint="Optional. The program that uses it, such as “Checkout”." {...fieldOf(form, 'name')} />
      <Select label="This key may" options={SCOPE_OPTIONS} {...fieldOf(form, 'scope')} />
      <TextArea
        label="Allowed addresses"
        className="input mono"
        rows={2}
        spellCheck={false}
        hint="Optional. Only these may use the key, one per line, such as 192.0.2.7 or 192.0.2.0/24."
        {...fieldOf(form, 'networks')}
      />
    </>
  )
}

/** The networks in a text: one per line, or separated by spaces or commas. Undefined without any. */
export function networksOf(text: string): string[] | undefined {
  const networks = text.split(/[\s,;]+/).filter(Boolean)
  return networks.length > 0 ? networks : undefined
}

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

export const LINK_TIMES = durationOptions([SECONDS.hour, SECONDS.day, SECONDS.week, SECONDS.month])

export function linkLines({ link, account }: IssuedClaimLink) {
  return {
    title: sentence`A claim link for “${account}”`,
    warning:
      'Send this link to the person who needs the key. The link is shown only now. The first person to press its button gets the key; then the link stops working.',
    lines: [{ label: 'The link', text: link }],
  }
}
