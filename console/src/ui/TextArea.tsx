import type { ComponentProps } from 'react'
import { Labelled, type LabelledProps } from './Labelled.tsx'

type TextAreaProps = LabelledProps & Omit<ComponentProps<'textarea'>, 'id'>

/** A labelled input of several lines. */
export function TextArea({ label, hint, error, id, ...input }: TextAreaProps) {
  return (
    <Labelled label={label} hint={hint} error={error} id={id}>
      {control => <textarea {...control} className="input" rows={3} {...input} />}
    </Labelled>
  )
}
