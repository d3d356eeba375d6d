import { useState } from 'react'
import type { Source, SyncReport } from '../../api/schema.ts'
import { useRows } from '../../data/rows.ts'
import { useIsAdmin } from '../../data/session.ts'
import { fileUrlOf, sourceRunPages, useChangeSource, useRemoveSource, useSyncSource } from '../../data/sources.ts'
import { formatCounted, formatRoughly } from '../../lib/numbers.ts'
import { Facts } from '../../parts/Panel.tsx'
import { RowList } from '../../parts/RowList.tsx'
import { TimeText } from '../../parts/times.tsx'
import { CreateTokenDialog } from '../../parts/tokens/CreateTokenDialog.tsx'
import { useOfferUndo, useUndoNow } from '../../parts/undo.ts'
import { Reasons } from '../../parts/words/Reasons.tsx'
import { WordFields } from '../../parts/words/WordFields.tsx'
import { linesOf, type Meanings } from '../../parts/words/words.ts'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { sentence } from '../../ui/sentence.ts'
import { Notice } from '../../ui/states.tsx'
import { SettingsDialog } from './SettingsDialog.tsx'
import { MISSING, summaryOf } from './words.ts'

/** A source beside the list: its settings, its last files, and a way to send one by hand. */
export function SourceDrawer({ source, onClose }: { source: Source; onClose(): void }) {
  const [asked, setAsked] = useState<'settings' | 'token' | 'removal'>()
  const [hasAnswers, setHasAnswers] = useState(false)
  const isAdmin = useIsAdmin()
  const stop = () => setAsked(undefined)
  const { name, missing, maxRemovals, keyColumn, expectedPauseSeconds, nextExpectedAt } = source
  return (
    <Dialog onClose={onClose} title={<span dir="auto">{name}</span>} isDrawer hasChanges={hasAnswers}>
      <SendFile source={source} onAnswers={setHasAnswers} />
      <Facts
        facts={{
          'Missing animals': MISSING[missing],
          'A file may remove': maxRemovals ?? '10%, or 2 animals if that is more',
          'Column with ids': keyColumn ?? 'found by its usual names',
          'Usual pause':
            expectedPauseSeconds === null ? 'not known yet' : `about ${formatRoughly(expectedPauseSeconds)}`,
          'Next expected': nextExpectedAt === null ? 'not known yet' : <TimeText at={nextExpectedAt} />,
          'On the command line': <code>petstore pet sync FILE --source {name}</code>,
          'By other software': (
            <>
              <code>PUT {fileUrlOf(name)}</code> with a token for this source
              {!isAdmin && ', which an administrator can create here'}
            </>
          ),
        }}
      />
      <div className="row">
        <Button onClick={() => setAsked('settings')}>Change settings</Button>
        {isAdmin && <Button onClick={() => setAsked('token')}>Create token</Button>}
        <Button onClick={() => setAsked('removal')}>Remove source</Button>
      </div>
      <Runs name={name} />
      {asked === 'settings' && <SettingsDialog source={source} onClose={stop} />}
      {asked === 'token' && <CreateTokenDialog source={name} onClose={stop} />}
      {asked === 'removal' && <RemoveDialog name={name} onClose={stop} onRemoved={onClose} />}
    </Dialog>
  )
}

interface SendFileProps {
  source: Source
  /** Told whether there are answers about words that are not kept yet. */
  onAnswers(hasAnswers: boolean): void
}

/** A file is checked first; then the operator sees what it would do. */
function SendFile({ source, onAnswers }: SendFileProps) {
  const { name } = source
  const check = useSyncSource()
  const sync = useSyncSource()
  const offerUndo = useOfferUndo()
  const { variables, data: report } = check
  const file = variables?.file
  const send = (file: File) => {
    sync.reset()
    onAnswers(false)
    return check.mutateAsync({ name, file, isDryRun: true }).catch(shown)
  }
  const carryOut = async (file: File) => {
    const report = await sync.mutateAsync({ name, file, isDryRun: false })
    check.reset()
    offerUndo(sentence`The animals are as in ${file.name}: ${summaryOf(report)}.`, report.entryId)
  }
  const error = check.error ?? sync.error
  return (
    <section className="panel stack">
      <Field
        label="Send a file by hand"
        type="file"
        accept=".csv,.tsv,.txt,.xlsx"
        disabled={sync.isPending}
        onChange={({ target }) => {
          const [file] = target.files ?? []
          // The same file can be chosen again once it has been changed.
          target.value = ''
          if (file) void send(file)
        }}
      />
      {check.isPending && (
        <p role="status">
          Checking <bdi>{file?.name}</bdi> …
        </p>
      )}
      {error && <Notice tone="danger">{error.message}</Notice>}
      {file && report && <Checked file={file} report={report} />}
      {file && report && report.unknownValues.length > 0 && (
        <UnknownWords
          key={file.name}
          source={source}
          unknown={report.unknownValues}
          onAnswer={() => onAnswers(true)}
          onKept={() => send(file)}
        />
      )}
      {file && report?.refusal === null && (
        <Button kind="primary" isBusy={sync.isPending} onClick={() => carryOut(file).catch(shown)}>
          Sync now
        </Button>
      )}
    </section>
  )
}

/** The error of a mutation, which its section shows. */
function shown(): void {}

function Checked({ file, report }: { file: File; report: SyncReport }) {
  return (
    <Notice tone={report.refusal === null ? 'info' : 'change'}>
      <p>
        <strong dir="auto">{file.name}</strong>:{' '}
        {report.refusal ?? `the file would have this effect: ${summaryOf(report)}.`}
      </p>
      {report.newCategories.length > 0 && (
        <p>
          New categories:{' '}
          <span dir="auto">{report.newCategories.map(({ id, label }) => `${label} (${id})`).join(', ')}</span>.
        </p>
      )}
      <Reasons reasons={report.reasons} />
    </Notice>
  )
}

interface UnknownWordsProps {
  source: Source
  unknown: SyncReport['unknownValues']
  onAnswer(): void
  onKept(): Promise<unknown>
}

/** Asks what words mean, and keeps the answers for this file and all later ones. */
function UnknownWords({ source, unknown, onAnswer, onKept }: UnknownWordsProps) {
  const change = useChangeSource(source.name)
  const [chosen, setChosen] = useState<Meanings>({})
  const [newCategories, setNewCategories] = useState(source.newCategories)
  const keep = async () => {
    const meanings = [source.meanings ?? '', linesOf(chosen)].filter(lines => lines !== '').join('\n')
    await change.mutateAsync({ meanings: meanings || null, newCategories })
    await onKept()
  }
  return (
    <section className="stack" aria-labelledby="unknown-words">
      <h3 id="unknown-words">What do these values mean?</h3>
      <p className="muted">The answers are kept for all files of this source. You find them under “Change settings”.</p>
      <WordFields
        unknown={unknown}
        meaningOf={word => chosen[word] ?? ''}
        hintOf={({ count }) => formatCounted(Number(count), 'line')}
        onChoose={(word, meaning) => {
          setChosen(earlier => ({ ...earlier, [word]: meaning }))
          onAnswer()
        }}
        newCategories={newCategories}
        onNewCategories={setNewCategories}
      />
      {change.error && <Notice tone="danger">{change.error.message}</Notice>}
      <Button kind="primary" isBusy={change.isPending} onClick={() => keep().catch(shown)}>
        Keep the answers and check again
      </Button>
    </section>
  )
}

function Runs({ name }: { name: string }) {
  const list = useRows(sourceRunPages(name))
  const undo = useUndoNow()
  return (
    <section className="stack is-close">
      <h3>Last files</h3>
      <RowList list={list} empty={<p className="muted">No file has been sent yet.</p>}>
        {({ at, actor, file, entryId, ...run }) => (
          <>
            <div className="main-part">
              <p>{run.refusal ?? summaryOf(run)}</p>
              <p className="muted">
                <TimeText at={at} /> · <span dir="auto">{actor}</span> · <span dir="auto">{file}</span>
              </p>
              <Reasons reasons={run.reasons} />
            </div>
            {entryId !== null && <Button onClick={() => void undo(entryId)}>Undo</Button>}
          </>
        )}
      </RowList>
    </section>
  )
}

interface RemoveDialogProps {
  name: string
  onClose(): void
  onRemoved(): void
}

function RemoveDialog({ name, onClose, onRemoved }: RemoveDialogProps) {
  const remove = useRemoveSource()
  return (
    <ConfirmDialog
      title={`Remove the source ${name}?`}
      action="Remove source"
      onConfirm={() => remove.mutateAsync(name)}
      onDone={onRemoved}
      onClose={onClose}
    >
      Its animals stay. Their ids in the other software are forgotten: the next file of a source with this name adds all
      its animals again.
    </ConfirmDialog>
  )
}
