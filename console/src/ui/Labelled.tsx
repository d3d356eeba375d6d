import { type ReactNode, useId } from 'react'
import './field.css'

export interface LabelledProps {
  label: string
  hint?: ReactNode
  error?: string | undefined
  id?: string | undefined
  /** Whether the label is only for screen readers, for self-explanatory filters. */
  isBare?: boolean | undefined
}

interface ControlProps {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': boolean
}

/** A label above a control, with its hint and error below. Screen readers read them with it. */
export function Labelled(props: LabelledProps & { children(control: ControlProps): ReactNode }) {
  const { label, hint, error, id, isBare, children } = props
  const own = useId()
  const controlId = id ?? own
  const described = [hint && `${controlId}-hint`, error && `${controlId}-error`].filter(Boolean).join(' ')
  return (
    <div className="field">
      <label htmlFor={controlId} className={isBare ? 'visually-hidden' : undefined}>
        {label}
      </label>
      {children({
        id: controlId,
        'aria-describedby': described || undefined,
        'aria-invalid': error !== undefined,
      })}
      {hint && (
        <p className="field-hint" id={`${controlId}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p className="field-error" id={`${controlId}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  )
}
