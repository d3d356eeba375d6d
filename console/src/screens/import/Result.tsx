import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { petTotalsQuery } from '../../data/overview.ts'
import { refreshAnimals } from '../../data/write.ts'
import { formatCount, formatCounted } from '../../lib/numbers.ts'
import { useUndoNow } from '../../parts/undo.ts'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/states.tsx'
import { BadLines } from './BadLines.tsx'
import { changeDraft, type Draft, type Outcome, setDraft } from './draft.ts'
import { carryOut } from './run.ts'
import { Problem, StepHeading } from './Steps.tsx'
import { Values } from './Values.tsx'

export function Result({ draft, outcome }: { draft: Draft; outcome: Outcome }) {
  const { totals } = outcome
  const isImported = totals.outcome === 'imported'
  const client = useQueryClient()
  // Every list of animals may have changed.
  useEffect(() => {
    if (isImported) refreshAnimals(client)
  }, [client, isImported])
  return (
    <section className="stack">
      <div className="panel stack">
        <div>
          <StepHeading>{titleOf(outcome)}</StepHeading>
          <p>{explain(outcome)}</p>
        </div>
        {draft.failure && <Problem error={draft.failure} />}
        <Totals totals={totals} />
        {totals.outcome === 'checked' && totals.mode === 'add' && totals.imported > 0 && <KnownAnimals />}
        <div className="row">{isImported ? <Next entryId={totals.entryId} /> : actions()}</div>
      </div>
      {totals.outcome !== 'imported' && totals.unknownValues.length > 0 && (
        <Values draft={draft} unknown={totals.unknownValues} />
      )}
      {totals.badLines > 0 && <BadLines draft={draft} outcome={outcome} />}
    </section>
  )

  function actions() {
    const back = () => changeDraft(draft.id, { outcome: undefined, failure: undefined })
    const count = totals.imported + totals.updated
    const skip = () => {
      const choices = { ...draft.choices, skipBad: true }
      const query = { ...draft.query, skipBad: true }
      changeDraft(draft.id, { choices })
      void carryOut({ ...draft, choices }, query, true)
    }
    return (
      <>
        <Button onClick={back}>Back to the options</Button>
        <Button onClick={() => setDraft(undefined)}>Choose another file</Button>
        {totals.outcome === 'refused' && totals.badLines < totals.read && (
          <Button {...(isMainly(totals) && { kind: 'primary' })} onClick={skip}>
            {`Leave out ${formatCount(totals.badLines)} of ${formatCounted(totals.read, 'line')}`}
          </Button>
        )}
        {totals.outcome === 'checked' && count > 0 && (
          <Button kind="primary" onClick={() => void carryOut(draft, draft.query, false)}>
            {totals.mode === 'add' ? `Import ${animals(count)}` : `Correct ${animals(count)}`}
          </Button>
        )}
      </>
    )
  }
}

/** Leaving out lines is the main choice only where most are good, and no choice of a meaning makes others good. */
function isMainly({ read, badLines, unknownValues }: Outcome['totals']): boolean {
  return badLines * 2 < read && unknownValues.length === 0
}

/** The service cannot know whether two animals with the same name are the same animal. */
function KnownAnimals() {
  const { data } = useQuery(petTotalsQuery)
  if (!data?.total) return null
  return (
    <Notice tone="change">
      There {data.total === 1 ? 'is' : 'are'} already {animals(data.total)}. If the file contains{' '}
      {data.total === 1 ? 'it, it' : 'any of them, they'} will exist twice.
    </Notice>
  )
}

function Next({ entryId }: { entryId: Outcome['totals']['entryId'] }) {
  const undo = useUndoNow()
  return (
    <>
      {entryId !== null && <Button onClick={() => void undo(entryId)}>Undo the import</Button>}
      <Button onClick={() => setDraft(undefined)}>Import another file</Button>
      <Link className="button button-primary" to="/animals">
        Show the animals
      </Link>
    </>
  )
}

function titleOf({ totals: { outcome, badLines } }: Outcome): string {
  if (outcome === 'imported') return 'The import is finished'
  if (outcome === 'refused') return badLines === 1 ? 'There is a bad line' : 'There are bad lines'
  return 'The file can be imported'
}

function explain({ totals }: Outcome): string {
  const { outcome, mode, read, imported, updated, badLines, unknownValues } = totals
  const count = imported + updated
  const bad = formatCounted(badLines, 'bad line')
  if (outcome === 'refused') {
    const first = unknownValues.length > 0 ? 'Choose what the unknown values mean, or correct' : 'Correct'
    const lines = badLines === 1 ? 'the bad line' : `the ${bad}`
    const last = badLines < read ? ', or import the file without them' : ''
    return `Nothing was changed. ${first} ${lines} in the file and choose it again${last}.`
  }
  const verb = outcome === 'imported' ? (badLines === 1 ? 'was' : 'were') : badLines === 1 ? 'is' : 'are'
  const skipped = badLines > 0 ? ` ${bad} ${verb} left out.` : ''
  if (outcome === 'checked') {
    if (count === 0) return `There is nothing to import.${skipped}`
    return mode === 'add' ? `${animals(count)} would be added.${skipped}` : `${animals(count)} would change.${skipped}`
  }
  return `${animals(count)} ${count === 1 ? 'was' : 'were'} ${mode === 'add' ? 'added' : 'corrected'}.${skipped}`
}

const animals = (count: number) => formatCounted(count, 'animal')

function Totals({ totals }: Pick<Outcome, 'totals'>) {
  const { mode, outcome, read, imported, updated, unchanged, badLines, firstId, lastId } = totals
  const isDone = outcome === 'imported'
  const figures: [string, string][] = [['Lines with an animal', formatCount(read)]]
  if (outcome === 'refused') figures.push(['Good lines', formatCount(read - badLines)])
  else if (mode === 'add') figures.push([isDone ? 'Added' : 'To be added', formatCount(imported)])
  else {
    figures.push([isDone ? 'Corrected' : 'To be corrected', formatCount(updated)])
    figures.push(['Already correct', formatCount(unchanged)])
  }
  figures.push(['Bad lines', formatCount(badLines)])
  if (isDone && firstId !== null)
    figures.push(['Numbers', firstId === lastId ? `${firstId}` : `${firstId} to ${lastId}`])
  return (
    <dl className="import-totals row">
      {figures.map(([name, figure]) => (
        <div key={name}>
          <dt className="muted">{name}</dt>
          <dd className="figure-value number">{figure}</dd>
        </div>
      ))}
    </dl>
  )
}
