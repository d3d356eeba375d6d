import { Notice } from '../../ui/states.tsx'
import type { Draft } from './draft.ts'

const NAMES = ['Choose', 'Check', 'Values', 'Import'] as const

export function Steps({ draft }: { draft: Draft | undefined }) {
  const current = stepOf(draft)
  return (
    <ol className="import-steps row" aria-label="Steps">
      {NAMES.map((name, at) => (
        <li
          key={name}
          className="step-name"
          data-done={at < current}
          aria-current={at === current ? 'step' : undefined}
        >
          {name}
          {at < current && <span className="visually-hidden"> (done)</span>}
        </li>
      ))}
    </ol>
  )
}

/** While values are asked for and checked, their step stays, whatever else is wrong: the steps never go backwards unless the operator does. */
function stepOf(draft: Draft | undefined): number {
  if (!draft) return 0
  const { run, outcome, choices } = draft
  if (outcome?.totals.outcome === 'imported') return NAMES.length
  if (outcome?.totals.outcome === 'checked' || run?.isDryRun === false) return 3
  const hasValues = outcome && (outcome.totals.unknownValues.length > 0 || Object.keys(choices.meanings).length > 0)
  return hasValues ? 2 : 1
}

/** The current step. It takes the focus, because the previous step's button is gone. */
export function StepHeading({ children }: { children: string }) {
  return (
    <h2 tabIndex={-1} ref={focus}>
      {children}
    </h2>
  )
}

function focus(element: HTMLElement | null): void {
  element?.focus()
}

export function Excerpt({ label, children }: { label: string; children: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="import-example box" tabIndex={0} aria-label={label}>
      <pre>{children}</pre>
    </section>
  )
}

export function Problem({ error }: { error: Error }) {
  return (
    <Notice tone="danger">
      <span dir="auto">{error.message}</span>
    </Notice>
  )
}
