import { useQuery } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { csvPreviewQuery, csvSample, firstLinesQuery } from '../../data/imports.ts'
import { formatBytes, formatCounted } from '../../lib/numbers.ts'
import { Loading } from '../../parts/Loading.tsx'
import { Button } from '../../ui/Button.tsx'
import { Radios } from '../../ui/Choices.tsx'
import { Columns, CsvOptions, Encodings } from './CsvOptions.tsx'
import { changeDraft, choose, type Draft, queryOf, setDraft } from './draft.ts'
import { carryOut, TYPES } from './run.ts'
import { Excerpt, Problem, StepHeading } from './Steps.tsx'

const MODES = [
  { value: 'add', name: 'Add new animals', hint: 'Each line is a new animal.' },
  {
    value: 'update',
    name: 'Correct existing animals',
    hint: 'Each line has the number of an animal and its new values. Where a value is empty, the old one stays.',
  },
] as const

const ON_BAD = [
  { value: 'refuse', name: 'Import all lines, or none', hint: 'A single bad line stops the whole import.' },
  { value: 'skip', name: 'Skip bad lines', hint: 'The good lines are imported. The bad ones are listed.' },
] as const

const KINDS = { csv: 'CSV', xlsx: 'Workbook', ndjson: 'NDJSON' }

/** Shows how the file is read, and asks what to do with it. */
export function Prepare({ draft }: { draft: Draft }) {
  const { id, file, kind, choices, failure } = draft
  const isTable = kind !== 'ndjson'
  const { delimiter, encoding, sheet } = choices
  const reading = { delimiter: delimiter || undefined, encoding: encoding || undefined, sheet: sheet || undefined }
  // What a workbook contains is at its end.
  const sample = async () => (kind === 'csv' ? csvSample(file) : file)
  const preview = useQuery({ ...csvPreviewQuery(id, sample, TYPES[kind], reading), enabled: isTable })
  const problem = failure ?? preview.error
  // Until the file is read as chosen, what is shown is how it was read before.
  const read = preview.isPlaceholderData ? undefined : preview.data
  const isReady = !isTable || (read && (read.encoding ?? choices.encoding))

  function check(event: FormEvent) {
    event.preventDefault()
    changeDraft(id, { header: preview.data?.header ?? [] })
    void carryOut(draft, queryOf(draft, preview.data), true)
  }

  return (
    <form className="stack" onSubmit={check} noValidate>
      <div className="panel stack">
        <div className="row is-spread">
          <div>
            <StepHeading>Check the file</StepHeading>
            <p>
              <strong dir="auto">{file.name}</strong> · {formatBytes(file.size)} · {KINDS[kind]}
            </p>
          </div>
          <Button onClick={() => setDraft(undefined)}>Choose another file</Button>
        </div>
        {problem && <Problem error={problem} />}
        <div className="field-grid">
          <Radios
            label="What the file does"
            value={choices.mode}
            options={MODES}
            onChoose={mode => choose(draft, { mode })}
          />
          <Radios
            label="If some lines are bad"
            value={choices.skipBad ? 'skip' : 'refuse'}
            options={ON_BAD}
            onChoose={chosen => choose(draft, { skipBad: chosen === 'skip' })}
          />
        </div>
      </div>
      {isTable && !preview.data && !problem && <Loading />}
      {isTable && preview.data && preview.data.guesses.length > 0 && <Encodings draft={draft} preview={preview.data} />}
      {isTable && preview.data && <Columns draft={draft} preview={preview.data} />}
      {isTable ? <CsvOptions draft={draft} preview={preview.data} /> : <LinesPreview fileId={id} file={file} />}
      <div className="row">
        <Button kind="primary" type="submit" disabled={!isReady}>
          Check the file
        </Button>
        <span className="muted">
          {read && !isReady ? 'Choose the text encoding above first.' : 'Checking changes nothing.'}
        </span>
      </div>
    </form>
  )
}

function LinesPreview({ fileId, file }: { fileId: string; file: File }) {
  const { data: lines, error } = useQuery(firstLinesQuery(fileId, file))
  if (error) return <Problem error={error} />
  if (!lines) return null
  return (
    <div className="panel stack">
      <h3>The first {formatCounted(lines.length, 'line')}</h3>
      <Excerpt label="First lines of the file">{lines.join('\n')}</Excerpt>
    </div>
  )
}
