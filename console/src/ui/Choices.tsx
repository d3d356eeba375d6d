import { type ReactNode, useId } from 'react'
import './choices.css'

interface RadiosProps<Value extends string> {
  label: string
  value: Value
  options: readonly { value: Value; name: string; hint?: ReactNode }[]
  onChoose(value: Value): void
}

/** A choice of a few options, each with an explanation. */
export function Radios<Value extends string>({ label, value, options, onChoose }: RadiosProps<Value>) {
  const name = useId()
  return (
    <fieldset className="choices">
      <legend>{label}</legend>
      {options.map(option => (
        <label key={option.value} className="choice">
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            onChange={() => onChoose(option.value)}
            value={option.value}
          />
          <span>
            {option.name}
            {option.hint && <span className="hint">{option.hint}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  )
}

interface CheckboxProps {
  label: string
  hint?: ReactNode
  isChecked: boolean
  onCheck(isChecked: boolean): void
}

/** An option with an explanation. */
export function Checkbox({ label, hint, isChecked, onCheck }: CheckboxProps) {
  return (
    <label className="choice">
      <input type="checkbox" checked={isChecked} onChange={event => onCheck(event.target.checked)} />
      <span>
        {label}
        {hint && <span className="hint">{hint}</span>}
      </span>
    </label>
  )
}
