import type { ReactNode } from 'react'
import './choices.css'

interface CheckboxProps {
  label: string
  hint?: ReactNode
  isChecked: boolean
  onCheck(isChecked: boolean): void
}

/** Something to agree to, with its explanation. */
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
