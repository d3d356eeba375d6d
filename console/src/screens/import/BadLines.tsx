import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { BadLine as Bad } from '../../api/schema.ts'
import { upload } from '../../api/upload.ts'
import { beginningOf } from '../../data/imports.ts'
import { formatCount, formatCounted } from '../../lib/numbers.ts'
import { nameOfMember, reasonInWords, sharedReasonInWords } from '../../parts/words/members.ts'
import { Reasons } from '../../parts/words/Reasons.tsx'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Notice } from '../../ui/states.tsx'
import type { Draft, Outcome } from './draft.ts'
import { newRequestId, TYPES } from './run.ts'

/** The lines that cannot be imported: how many for which reason, the first ones on screen, all of them to download. */
export function BadLines({ draft, outcome }: { draft: Draft; outcome: Outcome }) {
  const { totals, bad } = outcome
  const leaving = useRef(new AbortController())
  useEffect(() => () => leaving.current.abort(), [])
  const download = useMutation({
    mutationFn: async () => save(await badLinesFile(draft, leaving.current.signal), nameOf(draft.file.name)),
  })
  return (
    <section className="panel stack" aria-labelledby="bad-lines">
      <div className="row is-spread">
        <div>
          <h3 id="bad-lines">Bad lines</h3>
          <p className="muted">{shownOf(bad.length, totals.badLines)}</p>
        </div>
        <Button isBusy={download.isPending} onClick={() => download.mutate()}>
          Download the bad lines
        </Button>
      </div>
      {download.error && <Notice tone="danger">{download.error.message}</Notice>}
      {totals.reasons.length < totals.badLines && <Reasons reasons={totals.reasons} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="bad-lines box" tabIndex={0} aria-label="Bad lines of the file">
        <ul>
          {bad.map(line => (
            <li key={line.line}>
              <BadLine bad={line} />
            </li>
          ))}
        </ul>
      </section>
    </section>
  )
}

function shownOf(shown: number, all: number): string {
  if (shown === all) return 'Open a line to see everything that is wrong with it.'
  return `The first ${formatCount(shown)} of ${formatCount(all)}. The download has all of them.`
}

function nameOf(fileName: string): string {
  return `${fileName.replace(/\.[^.]*$/, '')} – bad lines.csv`
}

/** One line with its first problem, or with all of them once it is open. */
function BadLine({ bad: { line, reason, problems } }: { bad: Bad }) {
  const [first] = problems
  const more = problems.length - 1
  return (
    <details>
      <summary className="bad-line">
        <Icon name="chevron" />
        <span className="number">Line {formatCount(line)}</span>
        <strong>{first && nameOfMember(first.member)}</strong>
        <span className="mono one-line">
          <bdi>{first?.value ?? ''}</bdi>
        </span>
        <span className="bad-line-reason" dir="auto">
          {first ? reasonInWords(first) : sharedReasonInWords(reason)}
        </span>
        {more > 0 && <span className="bad-line-more muted">and {formatCounted(more, 'more problem')}</span>}
      </summary>
      <div className="bad-line-all">
        {problems.length === 0 ? <p dir="auto">{sharedReasonInWords(reason)}</p> : <Problems problems={problems} />}
      </div>
    </details>
  )
}

function Problems({ problems }: Pick<Bad, 'problems'>) {
  return (
    <dl className="stack is-close">
      {problems.map(problem => (
        <div key={problem.member}>
          <dt className="hint">{nameOfMember(problem.member)}</dt>
          <dd>
            <Value value={problem.value} />
            <p dir="auto">{reasonInWords(problem)}</p>
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Value({ value }: Pick<Bad['problems'][number], 'value'>) {
  if (value === null) return <span className="muted">missing</span>
  return value === '' ? <span className="muted">empty</span> : <code dir="auto">{value}</code>
}

/** Sends the file once more, and gets all of its bad lines as CSV for a spreadsheet. */
async function badLinesFile({ file, kind, query }: Draft, signal: AbortSignal): Promise<Blob> {
  await beginningOf(file, 1)
  const { skipBad: _, file: __, ...reading } = query
  const options = { query: reading, requestId: newRequestId(), idempotencyKey: undefined, signal, onProgress: () => {} }
  return upload('/pets/import/bad-lines', file, TYPES[kind], options)
}

function save(file: Blob, name: string): void {
  const url = URL.createObjectURL(file)
  const link = Object.assign(document.createElement('a'), { href: url, download: name })
  link.click()
  // The browser reads the file after this.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
