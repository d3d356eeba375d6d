import type { ReactNode } from 'react'
import './choices.css'

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
        {hint && <span className="choice-hint">{hint}</span>}
      </span>
    </label>
  )
}
