import { type UseMutationResult, useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ClipboardEvent, useRef } from 'react'
import { FOREIGN_FILE_BYTES, recogniseForeignFile } from '../../../../src/domain/foreign-files.ts'
import { beginningOf, readText } from '../../data/imports.ts'
import { ExportButton } from '../../parts/ExportButton.tsx'
import { Screen } from '../../parts/Screen.tsx'
import { Button } from '../../ui/Button.tsx'
import { TextArea } from '../../ui/Field.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Notice } from '../../ui/states.tsx'
import { DEFAULT_CHOICES, type Draft, type FileKind, setDraft, useDraft } from './draft.ts'
import { Prepare } from './Prepare.tsx'
import { Result } from './Result.tsx'
import { Running } from './Running.tsx'
import { newRequestId } from './run.ts'
import { Excerpt, Steps } from './Steps.tsx'
import { useFileDrop } from './use-file-drop.ts'
import '../../parts/panel.css'
import '../../parts/steps.css'
import './import.css'

export function ImportScreen() {
  const draft = useDraft()
  const choose = useMutation({ mutationFn: draftOf, onSuccess: setDraft })
  // A file that was chosen stays.
  const isOver = useFileDrop(file => !draft && choose.mutate(file))
  return (
    <Screen
      title="Import animals"
      description="Add or correct many animals at once with a file. Nothing changes until you have seen what would happen."
      actions={
        <>
          <Link className="button" to="/animals">
            <Icon name="animals" />
            Show animals
          </Link>
          <ExportButton label="Export all animals" filter={{}} />
        </>
      }
    >
      <Steps draft={draft} />
      {draft ? <Step draft={draft} /> : <ChooseFile choose={choose} isOver={isOver} />}
    </Screen>
  )
}

function Step({ draft }: { draft: Draft }) {
  if (draft.run) return <Running draft={draft} run={draft.run} />
  if (draft.outcome) return <Result draft={draft} outcome={draft.outcome} />
  return <Prepare draft={draft} />
}

interface ChooseFileProps {
  choose: UseMutationResult<Draft, Error, File>
  /** Whether a file is over the window, which takes it. */
  isOver: boolean
}

/** Takes a file from the disk, or pasted rows. */
function ChooseFile({ choose, isOver }: ChooseFileProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <section className="import-drop" data-over={isOver} aria-label="Choose a file">
        <Icon name="import" />
        <h2>Drop a file here</h2>
        <p className="muted">A workbook (.xlsx) or CSV from a spreadsheet, or NDJSON from another system</p>
        <Button kind="primary" isBusy={choose.isPending} onClick={() => input.current?.click()}>
          Choose a file
        </Button>
        <input
          ref={input}
          type="file"
          className="visually-hidden"
          tabIndex={-1}
          aria-label="File to import"
          accept=".xlsx,.xlsm,.csv,.tsv,.txt,.ndjson,.jsonl,text/csv,application/x-ndjson"
          onChange={({ target }) => {
            const file = target.files?.[0]
            if (file) choose.mutate(file)
            // The same file may be chosen again, such as after it was corrected.
            target.value = ''
          }}
        />
      </section>
      {choose.error && <Notice tone="danger">{choose.error.message}</Notice>}
      <Paste onPasted={file => choose.mutate(file)} />
      <Help />
    </>
  )
}

function Paste({ onPasted }: { onPasted(file: File): void }) {
  function paste(event: ClipboardEvent) {
    event.preventDefault()
    const text = event.clipboardData.getData('text/plain')
    if (text !== '') onPasted(new File([text], 'Pasted rows.tsv'))
  }
  return (
    <section className="panel">
      <TextArea
        label="Or paste rows from a spreadsheet"
        hint="Copy the cells with the names of their columns, and paste them here."
        rows={2}
        value=""
        // What is typed is not a file.
        onChange={event => event.preventDefault()}
        onPaste={paste}
      />
    </section>
  )
}

async function draftOf(file: File): Promise<Draft> {
  return { id: newRequestId(), file, kind: await kindOf(file), choices: DEFAULT_CHOICES, query: {} }
}

function Help() {
  return (
    <section className="import-help panel stack">
      <h2>What the file needs</h2>
      <p>
        A first line with the names of the columns, and one animal in each line below it. Each animal needs a name and a
        category: its number or its label. The status is optional.
      </p>
      <Excerpt label="Example of a file">{'name;category;status\nRex;1;available\nBella;1;sold'}</Excerpt>
      <p>The columns may have other names and any order. You choose what each one is in the next step.</p>
    </section>
  )
}

/** Detects the type of a file from its first bytes, because its name may say anything. */
async function kindOf(file: File): Promise<FileKind> {
  const bytes = await beginningOf(file, FOREIGN_FILE_BYTES)
  const text = readText(bytes)
  if (text === '') throw new Error('The file is empty. Choose another one.')
  const kind = text?.trimStart().startsWith('{') ? 'ndjson' : 'csv'
  if (recogniseForeignFile(new Uint8Array(bytes), 'xlsx') === undefined) return 'xlsx'
  const foreign = recogniseForeignFile(new Uint8Array(bytes), kind)
  if (foreign !== undefined) throw new Error(`The file is ${foreign}`)
  if (text === undefined)
    throw new Error('The file does not contain text. Choose a workbook, a CSV file or an NDJSON file.')
  return kind
}
