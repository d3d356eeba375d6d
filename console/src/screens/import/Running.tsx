import { useQuery } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { useId } from 'react'
import { runningImportQuery } from '../../data/imports.ts'
import { formatBytes, formatCounted } from '../../lib/numbers.ts'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import type { Draft, Run } from './draft.ts'
import { StepHeading } from './Steps.tsx'
import '../../ui/progress.css'

export function Running({ draft: { file }, run }: { draft: Draft; run: Run }) {
  const { requestId, isDryRun, sentBytes, isLost = false, stop } = run
  const { data: running } = useQuery(runningImportQuery(requestId))
  const isSent = sentBytes >= file.size
  // After this, the service completes an import even if the operator leaves.
  const isLast = !isDryRun && running?.isRead === true
  if (isLost) return <Lost run={run} />
  const share = running ? Math.min(1, running.bytes / file.size) : 0
  return (
    <section className="panel stack" aria-busy="true">
      <StepHeading>{isDryRun ? 'Checking the file' : 'Importing'}</StepHeading>
      <p>
        <strong dir="auto">{file.name}</strong>
      </p>
      <Progress
        label="Upload"
        text={isSent ? 'Done' : `${formatBytes(sentBytes)} of ${formatBytes(file.size)}`}
        share={sentBytes / file.size}
      />
      <Progress
        label={isDryRun ? 'Check' : 'Import'}
        text={running ? formatCounted(running.read, 'line') : isSent ? 'Finishing' : 'Waiting'}
        share={running?.isRead || (isSent && !running) ? undefined : share}
      />
      <p role="status">{running ? stateOf(isDryRun, running.isRead, running.badLines) : ''}</p>
      <Button onClick={stop} disabled={isLast}>
        {isDryRun ? 'Stop the check' : 'Stop the import'}
      </Button>
      <LeaveGuard isDryRun={isDryRun} isLast={isLast} stop={stop} />
    </section>
  )
}

function Lost({ run: { stop } }: { run: Run }) {
  return (
    <section className="panel stack" aria-busy="true">
      <StepHeading>The connection was lost</StepHeading>
      <Progress label="Asking the service whether the import was carried out" text="Please wait" share={undefined} />
      <Button onClick={stop}>Do not wait</Button>
      <LeaveGuard isDryRun={false} isLast stop={stop} />
    </section>
  )
}

function stateOf(isDryRun: boolean, isRead: boolean, badLines: number): string {
  const bad = badLines > 0 ? `${formatCounted(badLines, 'bad line')} so far. ` : ''
  if (!isRead) return bad
  return `${bad}The whole file has been read. ${isDryRun ? 'The result is being prepared.' : 'The animals are being saved, all in one step.'}`
}

function LeaveGuard({ isDryRun, isLast, stop }: { isDryRun: boolean; isLast: boolean; stop(): void }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => true,
    enableBeforeUnload: true,
    withResolver: true,
  })
  const leave = async () => {
    if (!isLast) stop()
    proceed?.()
  }
  if (status !== 'blocked') return null
  return (
    <ConfirmDialog
      onClose={() => reset?.()}
      title={isDryRun ? 'Stop the check and leave?' : 'Leave during the import?'}
      action={isLast ? 'Leave' : 'Stop and leave'}
      onConfirm={leave}
    >
      <p>
        {isLast
          ? 'The service has received the file. If it is already saving the animals, it continues after you leave.'
          : 'The service has not received the whole file yet. If you leave now, nothing is changed; the file and your choices stay here.'}
      </p>
    </ConfirmDialog>
  )
}

interface ProgressProps {
  label: string
  /** In words, next to the label. */
  text: string
  /** 0 to 1; undefined while unknown. */
  share: number | undefined
}

function Progress({ label, text, share }: ProgressProps) {
  const id = useId()
  return (
    <div className="progress">
      <label htmlFor={id}>{label}</label>
      <span className="number">{text}</span>
      <progress id={id} value={share} max={1} />
    </div>
  )
}
