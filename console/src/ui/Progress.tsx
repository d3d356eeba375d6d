import { useId } from 'react'
import './progress.css'

interface ProgressProps {
  label: string
  /** In words, beside the label. */
  text: string
  /** 0 to 1; undefined while it is not known. */
  share: number | undefined
}

/** How far something is. */
export function Progress({ label, text, share }: ProgressProps) {
  const id = useId()
  return (
    <div className="progress">
      <label htmlFor={id}>{label}</label>
      <span className="number">{text}</span>
      <progress id={id} value={share} max={1} />
    </div>
  )
}
