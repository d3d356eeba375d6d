import { useFormContext } from 'react-hook-form'
import type { Key } from '../../api/schema.ts'
import { fieldOf } from '../../lib/form-fields.ts'
import { Field, Select, TextArea } from '../../ui/Field.tsx'
import { SCOPE_OPTIONS } from './columns.tsx'

/** The properties of a key that can be changed, as form values. */
export interface TermsValues {
  name: string
  scope: Key['scope']
  networks: string
}

/** The name, the scope and the networks of a key, in a form. */
export function TermsFields() {
  const form = useFormContext<TermsValues>()
  return (
    <>
      <Field
        label="Name"
        dir="auto"
        autoComplete="off"
        hint="Optional. The program that uses it, such as “Checkout”."
        {...fieldOf(form, 'name')}
      />
      <Select label="Scope" options={SCOPE_OPTIONS} {...fieldOf(form, 'scope')} />
      <TextArea
        label="Networks"
        className="input mono"
        rows={2}
        spellCheck={false}
        hint="Optional. The addresses that may use the key, one per line, such as 192.0.2.7 or 192.0.2.0/24."
        {...fieldOf(form, 'networks')}
      />
    </>
  )
}

/** The networks in a text: one per line, or separated by spaces or commas. */
export function networksOf(text: string): string[] {
  return text.split(/[\s,;]+/).filter(Boolean)
}
