import type { ComponentProps } from 'react'
import { Labelled, type LabelledProps } from './Labelled.tsx'

type FieldProps = LabelledProps & Omit<ComponentProps<'input'>, 'id'>

/** A labelled input. Screen readers read its hint and error with it. */
export function Field({ label, hint, error, id, isBare, ...input }: FieldProps) {
  return (
    <Labelled label={label} hint={hint} error={error} id={id} isBare={isBare}>
      {control => <input {...control} className="input" {...input} />}
    </Labelled>
  )
}
