import { type ComponentProps, type ReactNode, useId } from 'react'
import type { Option } from '../lib/options.ts'
import './field.css'
import './select.css'

interface LabelledProps {
  label: string
  hint?: ReactNode
  error?: string | undefined
  /** Whether the label is only for screen readers, for self-explanatory filters. */
  isBare?: boolean | undefined
}

interface ControlProps {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': boolean
}

/** A label above a control, with its hint and error below. Screen readers read them with it. */
function Labelled(props: LabelledProps & { children(control: ControlProps): ReactNode }) {
  const { label, hint, error, isBare, children } = props
  const controlId = useId()
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
        <p className="hint" id={`${controlId}-hint`}>
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

interface FieldProps extends LabelledProps, ComponentProps<'input'> {
  /** Offered by the browser while the operator types. */
  suggestions?: readonly string[] | undefined
}

/** A labelled input, for a text in any script. Screen readers read its hint and error with it. */
export function Field({ label, hint, error, isBare, suggestions, ...input }: FieldProps) {
  const listId = useId()
  return (
    <>
      <Labelled label={label} hint={hint} error={error} isBare={isBare}>
        {control => (
          <input {...control} className="input" dir="auto" autoComplete="off" list={suggestions && listId} {...input} />
        )}
      </Labelled>
      {suggestions && (
        <datalist id={listId}>
          {suggestions.map(text => (
            <option key={text} value={text} />
          ))}
        </datalist>
      )}
    </>
  )
}

export function TextArea({ label, hint, error, ...input }: LabelledProps & ComponentProps<'textarea'>) {
  return (
    <Labelled label={label} hint={hint} error={error}>
      {control => <textarea {...control} className="input" dir="auto" rows={3} {...input} />}
    </Labelled>
  )
}

interface SelectProps extends LabelledProps, ComponentProps<'select'> {
  options: readonly (Option | { group: string; options: readonly Option[] })[]
  onChoose?: ((value: string) => void) | undefined
}

/** A labelled native select. On a phone, that is a wheel. */
export function Select({ label, hint, error, isBare, options, onChoose, ...select }: SelectProps) {
  return (
    <Labelled label={label} hint={hint} error={error} isBare={isBare}>
      {control => (
        <select {...control} className="input select" onChange={({ target }) => onChoose?.(target.value)} {...select}>
          {options.map(one =>
            'group' in one ? (
              <optgroup key={one.group} label={one.group}>
                {one.options.map(toOption)}
              </optgroup>
            ) : (
              toOption(one)
            ),
          )}
        </select>
      )}
    </Labelled>
  )
}

function toOption({ value, name }: Option) {
  return (
    <option key={value} value={value}>
      {name}
    </option>
  )
}
