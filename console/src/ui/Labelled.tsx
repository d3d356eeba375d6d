import { type ReactNode, useId } from 'react'
import './field.css'

export interface LabelledProps {
  label: string
  hint?: ReactNode
  error?: string | undefined
  id?: string | undefined
  /** Whether the label is only read aloud, for filters that explain themselves. */
  isBare?: boolean | undefined
}

interface ControlProps {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': boolean
}

/** A label above a control, with its hint and its error below, which are read with it. */
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
