import type { Draft } from './draft.ts'

const NAMES = ['Choose', 'Check', 'Import'] as const

/** The steps of an import, with the current one. */
export function Steps({ draft }: { draft: Draft | undefined }) {
  const current = stepOf(draft)
  return (
    <ol className="import-steps" aria-label="Steps">
      {NAMES.map((name, at) => (
        <li key={name} data-done={at < current} aria-current={at === current ? 'step' : undefined}>
          {name}
          {at < current && <span className="visually-hidden"> (done)</span>}
        </li>
      ))}
    </ol>
  )
}

function stepOf(draft: Draft | undefined): number {
  if (!draft) return 0
  const { run, outcome } = draft
  if (run) return run.isDryRun ? 1 : 2
  if (outcome?.totals.outcome === 'imported') return NAMES.length
  return outcome?.totals.outcome === 'checked' ? 2 : 1
}
