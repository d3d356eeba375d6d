import type { ComponentProps } from 'react'
import { Labelled, type LabelledProps } from './Labelled.tsx'

type FieldProps = LabelledProps & Omit<ComponentProps<'input'>, 'id'>

/** A labelled input. Its hint and its error are read with it. */
export function Field({ label, hint, error, id, isBare, ...input }: FieldProps) {
  return (
    <Labelled label={label} hint={hint} error={error} id={id} isBare={isBare}>
      {control => <input {...control} className="input" {...input} />}
    </Labelled>
  )
}
