import type { PetPreview } from '../../api/schema.ts'
import type { Selected } from '../../data/animals.ts'
import { categoryName } from '../../data/categories.ts'
import { formatCount } from '../../lib/numbers.ts'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { StatusBadge } from './statuses.tsx'

interface BulkPreviewProps {
  preview: PetPreview
  selected: Selected
  /** Selects others, without those that no longer exist. */
  onLeaveOut(selected: Selected): void
}

/** The animals that a change would touch, as far as the service shows them. */
export function BulkPreview({ preview, selected, onLeaveOut }: BulkPreviewProps) {
  const { count, sample, version, missingIds } = preview
  const more = count - sample.length
  const missing = new Set(missingIds)
  return (
    <>
      {missingIds.length > 0 && 'ids' in selected && (
        <Notice tone="change">
          <p>{formatCount(missingIds.length)} of the selected animals no longer exist.</p>
          {count > 0 && (
            <Button onClick={() => onLeaveOut({ ids: selected.ids.filter(id => !missing.has(id)) })}>
              Leave them out
            </Button>
          )}
        </Notice>
      )}
      {version === null && missingIds.length === 0 && count > 0 && (
        <Notice tone="change">
          {formatCount(count)} animals are too many for one step. Narrow the filters, for example to one category, and
          do it in parts.
        </Notice>
      )}
      <ul className="preview">
        {sample.map(({ id, name, categoryId, categoryLabel, status }) => (
          <li key={String(id)}>
            <bdi className="preview-name">{name}</bdi>
            <bdi className="muted">{categoryName(categoryId, categoryLabel)}</bdi>
            <StatusBadge status={status} />
          </li>
        ))}
      </ul>
      {more > 0 && <p className="muted">and {formatCount(more)} more</p>}
    </>
  )
}
