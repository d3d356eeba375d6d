import { useSeconds } from '../../lib/use-now.ts'

/** Counts down how long a deletion can be undone. Hidden from screen readers, where it would drown out everything else. */
export function UndoLabel({ until }: { until: number }) {
  const seconds = Math.max(0, Math.round((until - useSeconds()) / 1_000))
  return (
    <>
      Undo
      <span className="number" aria-hidden="true">
        {seconds} s
      </span>
    </>
  )
}
