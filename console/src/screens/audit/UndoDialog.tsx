import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { describeLabels } from '../../../../src/domain/undone-label.ts'
import type { UndoPreview } from '../../api/schema.ts'
import { undoPreviewQuery } from '../../data/undo.ts'
import { actionName } from '../../lib/audit-words.ts'
import { formatCounted } from '../../lib/numbers.ts'
import { Loading } from '../../parts/Loading.tsx'
import { useUndo } from '../../parts/undo.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { Notice } from '../../ui/states.tsx'

export function UndoDialog({ entryId, onClose }: { entryId: bigint; onClose(): void }) {
  const { data: preview, error } = useQuery(undoPreviewQuery(entryId))
  const undo = useUndo()
  return (
    <ConfirmDialog
      onClose={onClose}
      title="Undo this?"
      action="Undo"
      kind="primary"
      isReady={preview !== undefined && preview.undone > 0}
      onConfirm={() => undo(entryId)}
    >
      {error && <Notice tone="danger">{error.message}</Notice>}
      {!preview && !error && <Loading />}
      {preview && <Preview preview={preview} />}
    </ConfirmDialog>
  )
}

function Preview({ preview: { undone, kept, changedSince, labels } }: { preview: UndoPreview }) {
  const more = kept - changedSince.length
  return (
    <>
      <p>
        {formatCounted(undone, 'animal returns', 'animals return')} to the state before this action. You can undo that,
        too.
      </p>
      {describeLabels(labels).map(text => (
        <p key={text}>{text}</p>
      ))}
      {kept > 0 && (
        <>
          <p>{formatCounted(kept, 'animal stays as it is', 'animals stay as they are')}, because of later changes:</p>
          <ul className="kept-animals">
            {changedSince.map(({ petId, change }) => (
              <li key={String(petId)}>
                <Link to="/animals" search={{ open: String(petId) }}>
                  Animal {String(petId)}
                </Link>
                {change && (
                  <span className="muted">
                    {' · '}
                    {actionName(change.action)} by <bdi>{change.actor}</bdi>
                  </span>
                )}
              </li>
            ))}
          </ul>
          {more > 0 && <p>and {formatCounted(more, 'other')}</p>}
        </>
      )}
    </>
  )
}
