import { useId } from 'react'
import './progress.css'

interface ProgressProps {
  label: string
  /** In words, next to the label. */
  text: string
  /** 0 to 1; undefined while unknown. */
  share: number | undefined
}

/** A progress bar. */
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
